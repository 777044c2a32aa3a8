// Package share lets the workers of one proxy know what each of them has routed. A worker alone would not know most of
// what the caches hold, and would count only its own requests.
//
// Everything is in the proxy's shared data, which is consistent across workers, has no bound and cannot delete a key. So
// the keys are a fixed set, and each is written by one worker only:
//
//	slot i     the i-th worker's requests in flight and tokens (slot.go)
//	log i k    the k-th place of its log, a ring: endpoint and chain of a request that it routed (log.go)
//
// Before a decision a worker reads its peers' slots, one read each, and the entries that are new. A worker that is
// behind by more than a ring skips the entries that are gone; a block that is not known to be held costs a
// recomputation, not an error. A slot whose heartbeat stops is not counted, and the next worker claims it.
//
// A worker joins at its first request, which may come at any time: a worker may get no connection for an hour, and a
// new one starts after a trap. It claims the first free slot, by compare and swap, and replays all logs in the order of
// time, those of dead workers too. Its peers read the first free slot before each decision, so that they count it from
// its first request on.
package share

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
)

// Store is the shared data of a proxy.
type Store interface {
	// Get returns a value and its version; false if the key was never set. The value is valid until the next call, the key only until Get
	// returns.
	Get(key string) (value []byte, version uint32, ok bool)
	// Set writes a value if version is that of the current value, or 0; it reports whether it did. The value is copied.
	// A key that was never set is set whatever the version.
	Set(key string, value []byte, version uint32) bool
}

const (
	// KeyPrefix begins the keys of what workers write for each other. The number is that of the formats: workers of another one, which
	// a proxy has while its module is being replaced, are in a proxy of their own.
	KeyPrefix = "warmroute.5."

	maxAge = 5e9 // nanoseconds without a heartbeat after which a worker is gone

	// Missing is the version with which a key is set only if it was never set: no key has it before four billion have been set.
	Missing = 1<<32 - 1
)

// Board is one worker's view of its peers. It is not safe for concurrent use.
type Board struct {
	Heard bool // others than peers read it, such as gateways: what changes is published at once

	// Wake, if it is set, is called for each queue that has been armed, once something is to be told.
	Wake func(queue uint32)

	store      Store
	name       string // of the pool
	pool       *pool.Pool
	generation Generation
	id         uint32 // of this worker: no other worker has had it
	slot       int    // of this worker; -1: it has none, and only reads
	logged     uint64 // sum of the live peers' next
	joined     bool   // this worker has requests
	next       uint64 // number of the next entry of this worker's log, from 1
	peers      []peer // by slot, as far as slots were looked at
	live       []int  // slots of the peers that were live at the last Tick
	remote     remote // what other gateways have reported
	free       int    // the slot that the next worker would claim; -1: none
	inFlight   total
	counted    bool  // inFlight is what the peers' values and this worker's list of endpoints say
	until      int64 // ns: the first of them counts so long
	counts     []int
	buffer     []byte
	peerKey    []byte    // of logKey
	learned    pool.Sums // from all endpoints
	learnedAt  int64     // ns: when TellSpeeds saw it change
	outdated   bool      // that was long ago
	sharedAt   int64     // ns: the last turn of ShareSpeeds
	due        []uint32  // queues to be woken
	speeds     []pool.Sums
	chain      prefix.Chain
}

type peer struct {
	slotKey string
	logKeys []string // of this worker's own slot: the keys of its log, keysMade in a string; made as the log grows
	read    uint64   // the first entry of its log that has not been read; 0: none has
	value   []byte   // of its slot, as it was read last
	version uint32   // of the value
}

// New makes the board of a worker, for a proxy's only pool.
func New(store Store, p *pool.Pool) *Board { return Named(store, "", p) }

// Named makes the board of a worker for one of several pools, which have different names.
func Named(store Store, name string, p *pool.Pool) *Board {
	b := &Board{store: store, name: name, pool: p, slot: -1, next: 1}
	for _, e := range p.Endpoints {
		b.generation = b.generation.With(e.Address)
	}
	b.id = b.drawID()
	return b
}

// Name is the pool's; "" is that of an only one.
func (b *Board) Name() string { return b.name }

// key is a key of this pool's alone.
func (b *Board) key(of string) string {
	if b.name == "" {
		return KeyPrefix + of
	}
	return KeyPrefix + b.name + "." + of
}

func (b *Board) slotKey(i int) string { return b.key("slot.") + strconv.Itoa(i) }

// peer is what is known of slot i.
func (b *Board) peer(i int) *peer {
	for len(b.peers) <= i {
		b.peers = append(b.peers, peer{slotKey: b.slotKey(len(b.peers))})
	}
	return &b.peers[i]
}

// ID is the worker's number: no other worker of the proxy has had it. 0 if none could be drawn.
func (b *Board) ID() uint32 { return b.id }

// Generation is what the endpoints' indices mean.
func (b *Board) Generation() Generation { return b.generation }

// SetGeneration sets what the endpoints' indices mean from now on. Peers with another generation are not counted until
// both have the same.
func (b *Board) SetGeneration(g Generation) { b.generation, b.counted = g, false }

// workersKey counts the workers' boards, of all pools.
const workersKey = KeyPrefix + "workers"

// drawID draws a number that no other board has.
func (b *Board) drawID() uint32 {
	const tries = 100
	for range tries {
		value, version, ok := b.store.Get(workersKey)
		n := uint32(1)
		switch {
		case !ok:
			version = Missing
		case len(value) == 4:
			n = binary.LittleEndian.Uint32(value) + 1
		}
		if b.store.Set(workersKey, binary.LittleEndian.AppendUint32(b.buffer[:0], n), version) {
			return n
		}
	}
	return 0
}

// Tick renews this worker's heartbeat and finds the live peers. Call it several times within maxAge.
func (b *Board) Tick(now int64) {
	b.live, b.free, b.counted = b.live[:0], -1, false
	for i := range maxWorkers {
		empty := b.checkSlot(i, now)
		if b.free < 0 && b.slot != i && !slices.Contains(b.live, i) {
			b.free = i
		}
		if empty {
			break // slots are claimed in order
		}
	}
	b.publish(now)
}

// checkSlot finds out which worker has slot i, and claims it if this worker needs one and it is free. It reports whether
// the slot never had an owner.
func (b *Board) checkSlot(i int, now int64) (empty bool) {
	value, version, ok := b.store.Get(b.peer(i).slotKey)
	if !ok {
		version = Missing
	}
	if b.joined && b.slot < 0 && (!ok || claimable(inFlightOf(value), now, maxAge)) {
		if b.claim(i, version, value, now) {
			return false
		}
		value, _, ok = b.store.Get(b.peer(i).slotKey) // another worker was faster
	}
	owner, readable := ownerOf(inFlightOf(value))
	switch {
	case readable && owner == b.id && b.slot == i:
	case ok && !claimable(inFlightOf(value), now, maxAge):
		if b.slot == i { // this worker was stopped for longer than maxAge, and another has claimed its slot
			b.slot = -1
		}
		b.live = append(b.live, i)
	}
	return len(value) == 0
}

// claim takes slot i, if no other worker is faster. The log goes on after the last owner's, so that its readers miss
// nothing.
func (b *Board) claim(i int, version uint32, value []byte, now int64) bool {
	b.next = nextOf(value)
	if !b.store.Set(b.peer(i).slotKey, b.encodeSlot(now), version) {
		return false
	}
	b.slot = i
	return true
}

// Publish writes this worker's counts, and where its log ends. Call it when they have changed. Without peers they wait for
// the next Tick.
func (b *Board) Publish(now int64) {
	if b.Heard || len(b.live) > 0 || b.newPeer(now) {
		b.publish(now)
	}
}

// Flush publishes them at once, also without peers. Call it when the worker ends: the next one replays its log.
func (b *Board) Flush(now int64) { b.publish(now) }

func (b *Board) publish(now int64) {
	if b.slot >= 0 {
		b.store.Set(b.peer(b.slot).slotKey, b.encodeSlot(now), 0)
	}
}

// Sync joins the workers with the first call, and reads what the peers have published: call it before a decision. To
// join, a worker claims a slot and replays all logs. The VM of the proxy's main thread has no requests and never joins.
func (b *Board) Sync(now int64) {
	if !b.joined {
		b.joined = true
		b.replay(now)
		b.Tick(now)
	} else if b.newPeer(now) {
		b.Tick(now)
	}
	b.ReadPeers(now)
}

// ReadPeers reads what the peers have published, without joining them.
func (b *Board) ReadPeers(now int64) {
	for _, i := range b.live {
		p := b.peer(i)
		if value, version, ok := b.store.Get(p.slotKey); ok && (version != p.version || p.value == nil) {
			p.value, p.version, b.counted = append(p.value[:0], value...), version, false
		}
	}
	if !b.counted || now > b.until || now < b.inFlight.now || len(b.inFlight.counts) != len(b.pool.Endpoints) {
		b.countPeers(now)
	}
	if b.remote.key != "" {
		b.readRemote(now)
	}
}

// countPeers adds up what the live peers have published, and reads what is new in their logs.
func (b *Board) countPeers(now int64) {
	b.inFlight.reset(now, b.generation, len(b.pool.Endpoints))
	b.counted, b.until, b.logged = true, math.MaxInt64, 0
	for _, i := range b.live {
		value := b.peer(i).value
		if b.inFlight.add(inFlightOf(value)) != slotLive {
			continue
		}
		b.until = min(b.until, heartbeatOf(inFlightOf(value))+maxAge)
		b.inFlight.addTokens(value)
		b.logged += nextOf(value)
		if b.joined { // a worker without requests needs no index: it replays all logs when it joins
			b.readLog(i, nextOf(value), now)
		}
	}
	b.pool.SetPeerRequests(b.inFlight.requests)
	for e, n := range b.inFlight.counts {
		b.pool.SetPeers(e, n, b.inFlight.work[e], b.inFlight.lines[e])
	}
}

// Logged changes with each prompt that a worker logs, as far as it is known here. Workers that come and go change it, too.
func (b *Board) Logged() uint64 { return b.next + b.logged }

// newPeer says whether a worker has claimed the slot that was free at the last Tick. Reading an empty slot is cheap.
func (b *Board) newPeer(now int64) bool {
	if b.free < 0 {
		return false
	}
	value, _, ok := b.store.Get(b.peer(b.free).slotKey)
	return ok && !claimable(inFlightOf(value), now, maxAge)
}
