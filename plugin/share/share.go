// Package share lets the workers of one proxy know what each of them has routed. A worker alone would not know most of
// what the caches hold, and would count only its own requests.
//
// Everything is in the proxy's shared data, which is consistent across workers, has no bound and cannot delete a key. So
// the keys are a fixed set, and each is written by one worker only:
//
//	slot i     the i-th worker's requests in flight and tokens, and the last page of its log (slot.go)
//	log i k    the k-th page of its log, a ring: endpoints and chains of requests that it routed, and that have ended (page.go, log.go)
//
// Before a decision a worker reads its peers' slots, one read each, and the pages that are new, but not more often than
// pace.go allows. A worker that is behind by more than a ring skips the entries that are gone; a block that is not known to
// be held costs a recomputation, not an error. A slot whose heartbeat stops is not counted, and the next worker claims it.
//
// A worker joins at its first request, which may come at any time: a worker may get no connection for an hour, and a
// new one starts after a trap. It claims the first free slot, by compare and swap, and replays all logs in the order of
// time, those of dead workers too. Its peers look at the first free slot before a decision, too, so that they count it from
// its first requests on; those that decide all the time, every 10 ms.
package share

import (
	"encoding/binary"
	"strconv"

	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/speed"
	"warmroute/plugin/traffic"
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
	KeyPrefix = "warmroute.12."

	maxAge = 5e9 // nanoseconds without a heartbeat after which a worker is gone

	// Missing is the version with which a key is set only if it was never set: no key has it before four billion have been set.
	Missing = 1<<32 - 1
)

// Board is one worker's view of its peers. It is not safe for concurrent use.
type Board struct {
	Heard bool // others than peers read it, such as gateways, or no Tick follows: what changes is published at once

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
	page       []byte // of its log, as far as it goes
	unwritten  bool   // the page has entries that no value of its own has
	late       bool   // what changed waits to be published
	beat       int64  // ns: the last heartbeat
	decided    int64  // ns: the last PublishKnown
	reading    pace
	looking    pace
	writing    pace
	peers      []peer // by slot, as far as slots were looked at
	live       []int  // slots of the peers that were live at the last Tick
	remote     remote // what other gateways have reported
	free       int    // the slot that the next worker would claim; -1: none
	inFlight   total
	counted    bool  // inFlight is what the peers' values and this worker's list of endpoints say
	until      int64 // ns: the first of them counts so long
	counts     []int
	buffer     []byte
	peerKey    []byte         // of logKey
	learned    speed.Sums     // from all endpoints
	learnedAt  int64          // ns: when TellSpeeds saw it change
	outdated   bool           // that was long ago
	habits     traffic.Habits // this worker's
	habitsAt   int64          // ns: when TellSpeeds saw them change
	sharedAt   int64          // ns: the last turn of ShareSpeeds
	due        []uint32       // queues to be woken
	speeds     []pool.Speed
	added      traffic.Habits // of addSpeeds
	chain      prefix.Chain
}

type peer struct {
	slotKey string
	logKeys []string // of this worker's own slot: the keys of its log; made as the log grows
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

// Joined says whether this worker has had requests (Sync).
func (b *Board) Joined() bool { return b.joined }

// Generation is what the endpoints' indices mean.
func (b *Board) Generation() Generation { return b.generation }

// SetGeneration sets what the endpoints' indices mean from now on. Peers with another generation are not counted until
// both have the same.
func (b *Board) SetGeneration(g Generation) {
	b.counted = b.counted && g == b.generation
	b.generation = g
}

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
