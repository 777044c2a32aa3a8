// Package share lets the workers of one proxy know what each of them has routed. A worker alone would believe that
// most of what the caches hold is unknown, and count only its own requests.
//
// All is in the proxy's shared data, which is exact across workers, bounds nothing and cannot delete a key. So the keys
// are a fixed set, and each is written by one worker only:
//
//	slot i     what the i-th worker has under way (slot.go)
//	log i k    the k-th place of its log, a ring: the endpoint and the chain of a request that it routed
//
// Before a decision a worker reads the slots of its peers, one read each, and the entries that are new. One that has
// fallen behind by more than a ring skips what is gone; a block that is not known to be held costs a recomputation, not
// an error. A slot whose heartbeat stops is not counted, and the next worker takes it.
//
// Workers begin at their first request, and at any time: one that gets no connection for an hour, a new one after a
// trap. It takes the first slot that is free, by compare and swap, and reads all logs in the order of time, those of dead
// workers too. Its peers look at the first free slot before each decision, so that they know it from its first request.
package share

import (
	"encoding/binary"
	"strconv"

	"warmroute/plugin/load"
	"warmroute/plugin/prefix"
	"warmroute/plugin/route"
)

// Store is the shared data of a proxy.
type Store interface {
	// Get returns a value and its version; false where the key was never set. The value is valid until the next call.
	Get(key string) (value []byte, version uint32, ok bool)
	// Set writes a value, if version is that of the value in place or 0; it reports whether it did. The value is copied.
	// A key that was never set is set whatever the version.
	Set(key string, value []byte, version uint32) bool
}

const (
	names  = "warmroute.4." // the number is that of the format
	maxAge = 5e9            // ns without a heartbeat after which a worker is gone
)

// Board is one worker's view. It is not safe for concurrent use.
type Board struct {
	store      Store
	router     *route.Router
	generation load.Generation
	self       uint32 // who we are: no other worker has had the number
	slot       int    // ours; -1: none is free, we only read
	used       bool   // we have requests
	next       uint64 // of our log's entries, from 1
	peers      []peer // by slot
	live       []int  // slots of peers that were live at the last Tick
	free       int    // the slot that the next worker would take
	sum        load.Sum
	counts     []int
	buffer     []byte
	chain      prefix.Chain
}

type peer struct {
	slotKey string
	logKeys string // all of them, one behind the other; made at the first use
	read    uint64 // the first entry of its log that we do not have; 0: we have not looked
}

// New makes the board of a worker that routes by r.
func New(store Store, r *route.Router) *Board {
	b := &Board{store: store, router: r, slot: -1, next: 1, peers: make([]peer, load.MaxWorkers)}
	for _, e := range r.Endpoints {
		b.generation = b.generation.With(e.Address)
	}
	for i := range b.peers {
		b.peers[i].slotKey = names + "slot." + strconv.Itoa(i)
	}
	b.sum = load.Sum{MaxAge: maxAge, Generation: b.generation}
	if b.self = b.number(); b.self == 1 {
		for i := range b.peers {
			store.Set(b.peers[i].slotKey, nil, 0)
		}
	}
	return b
}

// Self is the worker's number: no other of the proxy has had it. 0 where none could be drawn.
func (b *Board) Self() uint32 { return b.self }

// Generation is what the endpoints' indices mean.
func (b *Board) Generation() load.Generation { return b.generation }

// Follow says what the endpoints' indices mean from now on. Peers with another generation are not counted until they,
// or we, follow.
func (b *Board) Follow(g load.Generation) { b.generation, b.sum.Generation = g, g }

// number draws a number that no other worker has. The first is drawn by the VM of the main thread, before there are
// workers, so that two never find the key missing at once. It makes the slots, for compare and swap to hold from the
// first worker on: a missing key is set whatever the version.
func (b *Board) number() uint32 {
	const key, tries = names + "workers", 100
	for range tries {
		value, version, ok := b.store.Get(key)
		n := uint32(1)
		if ok && len(value) == 4 {
			n = binary.LittleEndian.Uint32(value) + 1
		}
		if b.store.Set(key, binary.LittleEndian.AppendUint32(b.buffer[:0], n), version) {
			return n
		}
	}
	return 0
}

// Tick keeps our slot alive and finds the peers that are. Call it several times within maxAge.
func (b *Board) Tick(now int64) {
	b.live, b.free = b.live[:0], -1
	for i := range b.peers {
		empty := b.visit(i, now)
		if b.free < 0 && b.slot != i && (len(b.live) == 0 || b.live[len(b.live)-1] != i) {
			b.free = i
		}
		if empty {
			break // slots are taken in order
		}
	}
	b.Counted(now)
}

// visit finds out whose slot i is, and takes it where we need one and it is free. It reports whether it never had an owner.
func (b *Board) visit(i int, now int64) (empty bool) {
	value, version, ok := b.store.Get(b.peers[i].slotKey)
	if b.used && b.slot < 0 && (!ok || load.Claimable(body(value), now, maxAge)) {
		if b.claim(i, version, value, now) {
			return false
		}
		value, _, ok = b.store.Get(b.peers[i].slotKey) // another was faster
	}
	owner, readable := load.SlotOwner(body(value))
	switch {
	case readable && owner == b.self && b.slot == i:
	case ok && !load.Claimable(body(value), now, maxAge):
		if b.slot == i { // we were stopped for longer than maxAge, and another has taken it
			b.slot = -1
		}
		b.live = append(b.live, i)
	}
	return len(value) == 0
}

// claim takes slot i, if nobody is faster. The log goes on behind the last owner's, so that its readers miss nothing.
func (b *Board) claim(i int, version uint32, value []byte, now int64) bool {
	b.next = nextOf(value)
	if !b.store.Set(b.peers[i].slotKey, b.encode(now), version) {
		return false
	}
	b.slot = i
	return true
}

// Counted tells the peers our in-flight counts, and where our log ends.
func (b *Board) Counted(now int64) {
	if b.slot >= 0 {
		b.store.Set(b.peers[b.slot].slotKey, b.encode(now), 0)
	}
}

// Read takes over what the peers have told: call it before a decision. With the first, the worker takes a slot and
// learns what all have told so far: the VM of the proxy's main thread has no requests and needs neither.
func (b *Board) Read(now int64) {
	if !b.used {
		b.used = true
		b.recall(now)
		b.Tick(now)
	} else if b.joined(now) {
		b.Tick(now)
	}
	b.Look(now)
}

// Look takes over what the peers have told, as Read does, and makes this worker none of them.
func (b *Board) Look(now int64) {
	b.sum.Now = now
	b.sum.Reset(len(b.router.Endpoints))
	b.router.Untell()
	for _, i := range b.live {
		value, _, ok := b.store.Get(b.peers[i].slotKey)
		if ok && b.sum.Add(body(value)) == load.SlotLive {
			b.hear(value)
			b.follow(i, nextOf(value), now)
		}
	}
	for e, n := range b.sum.InFlight {
		b.router.Load.SetOthers(e, n)
	}
}

// joined says whether the slot that was free at the last Tick is free no more. To read an empty one is cheap.
func (b *Board) joined(now int64) bool {
	if b.free < 0 {
		return false
	}
	value, _, ok := b.store.Get(b.peers[b.free].slotKey)
	return ok && !load.Claimable(body(value), now, maxAge)
}
