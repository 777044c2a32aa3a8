// Package share lets the workers of one proxy know what each of them has routed. A worker alone would believe that
// most of what the caches hold is unknown, and count only its own requests.
//
// All is in the proxy's shared data, which is exact across workers, bounds nothing and cannot delete a key. So the keys
// are a fixed set, and each is written by one worker only:
//
//	slot i     the i-th worker's in-flight counts (load.AppendSlot) behind the number of its log's next entry
//	log i k    the k-th place of its log, a ring: the endpoint and the chain of a request that it routed
//
// Before a decision a worker reads the slots of its peers, one read each, and the entries that are new. One that has
// fallen behind by more than a ring skips what is gone; a block that is not known to be held costs a recomputation, not
// an error. A slot whose heartbeat stops is not counted, and the next worker takes it.
package share

import (
	"encoding/binary"
	"strconv"

	"warmroute/plugin/load"
	"warmroute/plugin/route"
)

// Store is the shared data of a proxy.
type Store interface {
	// Get returns a value and its version; false where the key was never set. The value is valid until the next call.
	Get(key string) (value []byte, version uint32, ok bool)
	// Set writes a value, if version is that of the value in place or 0; it reports whether it did. The value is copied.
	Set(key string, value []byte, version uint32) bool
}

const (
	prefix   = "warmroute.1." // the number is that of the format
	ring     = 256            // entries of a log that can be read
	headSize = 8              // bytes in front of a slot: the log's next entry
	maxAge   = 5e9            // ns without a heartbeat after which a worker is gone
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
	sum        load.Sum
	counts     []int
	buffer     []byte
	chain      []uint64
}

type peer struct {
	slotKey string
	logKeys []string // made at the first use
	read    uint64   // the first entry of its log that we do not have; 0: we have not looked
}

// New makes the board of a worker that routes by r.
func New(store Store, r *route.Router) *Board {
	b := &Board{store: store, router: r, slot: -1, next: 1, peers: make([]peer, load.MaxWorkers)}
	for _, e := range r.Endpoints {
		b.generation = b.generation.With(e.Address)
	}
	for i := range b.peers {
		b.peers[i].slotKey = prefix + "slot." + strconv.Itoa(i)
	}
	b.sum = load.Sum{MaxAge: maxAge, Generation: b.generation}
	b.self = b.number()
	return b
}

// Self is the worker's number: no other of the proxy has had it. 0 where none could be drawn.
func (b *Board) Self() uint32 { return b.self }

// Follow says what the endpoints' indices mean from now on. Peers with another generation are not counted until they,
// or we, follow.
func (b *Board) Follow(g load.Generation) { b.generation, b.sum.Generation = g, g }

// number draws a number that no other worker has. The first is drawn by the VM of the main thread, before there are
// workers, so that two never find the key missing at once.
func (b *Board) number() uint32 {
	const key, tries = prefix + "workers", 100
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
	b.live = b.live[:0]
	for i := range b.peers {
		value, version, ok := b.store.Get(b.peers[i].slotKey)
		slot := body(value)
		owner, readable := load.SlotOwner(slot)
		switch {
		case readable && owner == b.self && b.slot == i:
		case b.used && b.slot < 0 && (!ok || load.Claimable(slot, now, maxAge)):
			b.claim(i, version, value, now)
		case ok && !load.Claimable(slot, now, maxAge):
			if b.slot == i { // we were stopped for longer than maxAge, and another has taken it
				b.slot = -1
			}
			b.live = append(b.live, i)
		}
	}
	b.Counted(now)
}

// body is the slot within a value.
func body(value []byte) []byte { return value[min(headSize, len(value)):] }

// claim takes slot i, if nobody is faster. The log goes on behind the last owner's, so that its readers miss nothing.
func (b *Board) claim(i int, version uint32, value []byte, now int64) {
	next := uint64(1)
	if len(value) >= headSize {
		next = binary.LittleEndian.Uint64(value)
	}
	b.next = next
	if b.store.Set(b.peers[i].slotKey, b.encode(now), version) {
		b.slot = i
	}
}

func (b *Board) encode(now int64) []byte {
	b.counts = b.counts[:0]
	for i := range b.router.Endpoints {
		b.counts = append(b.counts, b.router.Load.OwnInFlight(i))
	}
	b.buffer = binary.LittleEndian.AppendUint64(b.buffer[:0], b.next)
	b.buffer = load.AppendSlot(b.buffer, b.self, now, b.generation, b.counts)
	return b.buffer
}

// Counted tells the peers our in-flight counts, and where our log ends.
func (b *Board) Counted(now int64) {
	if b.slot >= 0 {
		b.store.Set(b.peers[b.slot].slotKey, b.encode(now), 0)
	}
}

// Read takes over what the peers have told: call it before a decision. With the first, the worker takes a slot: the VM
// of the proxy's main thread has no requests and needs none.
func (b *Board) Read(now int64) {
	if !b.used {
		b.used = true
		b.Tick(now)
	}
	b.Look(now)
}

// Look takes over what the peers have told, as Read does, and makes this worker none of them.
func (b *Board) Look(now int64) {
	b.sum.Now = now
	b.sum.Reset(len(b.router.Endpoints))
	for _, i := range b.live {
		value, _, ok := b.store.Get(b.peers[i].slotKey)
		if ok && len(value) >= headSize && b.sum.Add(body(value)) == load.SlotLive {
			b.follow(&b.peers[i], i, binary.LittleEndian.Uint64(value), now)
		}
	}
	for e, n := range b.sum.InFlight {
		b.router.Load.SetOthers(e, n)
	}
}

// follow reads a peer's log up to its next entry.
func (b *Board) follow(p *peer, slot int, next uint64, now int64) {
	if p.logKeys == nil {
		p.logKeys = logKeys(slot)
	}
	if p.read == 0 || p.read > next || next-p.read > ring {
		p.read = next - min(next-1, ring)
	}
	for ; p.read < next; p.read++ {
		value, _, ok := b.store.Get(p.logKeys[p.read%ring])
		if ok {
			b.learn(value, p.read, now)
		}
	}
}

func logKeys(slot int) []string {
	keys := make([]string, ring)
	for k := range keys {
		keys[k] = prefix + "log." + strconv.Itoa(slot) + "." + strconv.Itoa(k)
	}
	return keys
}

// An entry, little-endian: its number (64 bits), the generation of the endpoint list (32), the endpoint (32), then the
// chain's hashes (64 each).
const entryHead = 16

// learn enters an entry into the index, unless it is another than was announced: it has been overwritten since.
func (b *Board) learn(entry []byte, number uint64, now int64) {
	if len(entry) < entryHead || len(entry)%8 != 0 || binary.LittleEndian.Uint64(entry) != number ||
		load.Generation(binary.LittleEndian.Uint32(entry[8:])) != b.generation {
		return
	}
	endpoint := int(binary.LittleEndian.Uint32(entry[12:]))
	if endpoint >= len(b.router.Endpoints) {
		return
	}
	b.chain = b.chain[:0]
	for at := entryHead; at < len(entry); at += 8 {
		b.chain = append(b.chain, binary.LittleEndian.Uint64(entry[at:]))
	}
	b.router.Hold(endpoint, b.chain, now)
}

// Routed tells the peers that a request went to endpoint, whose cache then holds the chain; and our counts with it.
func (b *Board) Routed(endpoint int, chain []uint64, now int64) {
	if b.slot < 0 {
		return
	}
	if len(chain) > 0 {
		p := &b.peers[b.slot]
		if p.logKeys == nil {
			p.logKeys = logKeys(b.slot)
		}
		entry := binary.LittleEndian.AppendUint64(b.buffer[:0], b.next)
		entry = binary.LittleEndian.AppendUint32(entry, uint32(b.generation))
		entry = binary.LittleEndian.AppendUint32(entry, uint32(endpoint))
		for _, hash := range chain {
			entry = binary.LittleEndian.AppendUint64(entry, hash)
		}
		b.buffer = entry
		b.store.Set(p.logKeys[b.next%ring], entry, 0)
		b.next++
	}
	b.Counted(now)
}
