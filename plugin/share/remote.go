package share

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
)

// What other gateways have reported. The worker that asks them writes it here, and all workers read it like the log of one
// more worker:
//
//	remote    the number of the next entry of the log, and the other gateways' load
//	remote k  the k-th place of the log: an entry as in log.go, and behind it the incarnation of the gateway that routed it
//
// The value of remote, little-endian:
//
//	0   the number of the next entry, 64 bits
//	8   1 if a snapshot has been read to its end, else 0, 8 bits
//	9   generation of the endpoint list, 32 bits
//	13  when it was written, nanoseconds, 64 bits
//	21  requests given lately, a float16
//	23  this gateway's place among all, 16 bits, and how many there are, 16 bits; 0 and 0: not known
//	27  how old news are when they arrive, 16 bits, ms: what is not told by then has not happened; 0: not known, gateways ask now and then
//	29  what waits at them, appendHolds
//	…   for each endpoint requests in flight, 16 bits; a float16, prompt tokens given lately; and putLine
//
// An entry that came by way of a third gateway has a flag, so that it is passed on no further.
const (
	remoteHead    = 29
	remoteEach    = 4 + lineSize
	remoteEntries = 1 << (4 * keyDigits)
	entryRelayed  = 1 << 29
	originLength  = 8
)

// remote is a worker's view of what other gateways have reported.
type remote struct {
	key     string // "": the gateways share nothing
	next    uint64 // number of the next entry: to read
	indices map[string]int
	of      Generation // of indices
	listed  int        // endpoints in indices
	loads   loads
	holds   []queue.Hold // of readLoads
}

// loads is what the pool has been told of the other gateways' load.
type loads struct {
	version    uint32 // of the value; 0: it has been told nothing
	generation Generation
	endpoints  int
	requests   float64
	lag        int64 // ns
}

// GatewayLoad is what all other gateways have at one endpoint.
type GatewayLoad struct {
	InFlight, Work float64
	Line           queue.Line
}

// EnableGateways makes the board read and write what other gateways report, under a name that other pools of the proxy do
// not have.
func (b *Board) EnableGateways(name string) { b.remote.key = b.key("remote.") + name }

// Gateways says whether other gateways' news are read.
func (b *Board) Gateways() bool { return b.remote.key != "" }

// remoteLogKey is the key of entry n.
func (b *Board) remoteLogKey(n uint64) string {
	return string(appendKey(make([]byte, 0, len(b.remote.key)+1+keyDigits), b.remote.key, n%remoteEntries))
}

// remoteOldest is the oldest entry that can still be read, given the number of the next one.
func remoteOldest(next uint64) uint64 { return next - min(next-1, remoteEntries) }

// readRemote takes over what the other gateways have reported.
func (b *Board) readRemote(now int64) {
	value, version, ok := b.store.Get(b.remote.key)
	if !ok || len(value) < remoteHead {
		b.clearLoads()
		return
	}
	b.readLoads(value, version, now)
	if !b.joined { // a worker without requests needs no index: it replays all logs when it joins
		return
	}
	r, next := &b.remote, nextOf(value)
	if r.next == 0 || r.next > next || next-r.next > remoteEntries {
		r.next = remoteOldest(next)
	}
	for ; r.next < next; r.next++ {
		if entry, _, ok := b.store.Get(b.remoteLogKey(r.next)); ok && len(entry) > originLength {
			b.apply(entry[:len(entry)-originLength], r.next, now)
		}
	}
}

// readLoads tells the pool the other gateways' load, as far as it is new: an endpoint that changes is summed up again.
func (b *Board) readLoads(value []byte, version uint32, now int64) {
	at, generation := int64(binary.LittleEndian.Uint64(value[13:])), Generation(binary.LittleEndian.Uint32(value[9:]))
	if age := now - at; age >= maxAge || age <= -maxAge || generation != b.generation {
		b.clearLoads()
		return
	}
	l, n := &b.remote.loads, len(b.pool.Endpoints)
	if l.version == 0 || l.version != version || l.generation != generation || l.endpoints != n {
		*l = loads{version, generation, n, bytestr.Float16(value[21:]), int64(binary.LittleEndian.Uint16(value[27:])) * 1e6}
		b.pool.SetGatewayPlace(int(binary.LittleEndian.Uint16(value[23:])), int(binary.LittleEndian.Uint16(value[25:])))
		holds, rest := cutHolds(value[remoteHead:])
		b.remote.holds = addHolds(b.remote.holds[:0], holds)
		b.pool.AtGateways.SetGateways(b.remote.holds)
		known := min(len(rest)/remoteEach, n)
		for i := range known {
			e := rest[i*remoteEach:]
			b.pool.SetGatewayLoad(i, float64(binary.LittleEndian.Uint16(e)), bytestr.Float16(e[2:]), getLine(e[4:], now))
		}
		for i := known; i < n; i++ {
			b.pool.SetGatewayLoad(i, 0, 0, queue.Line{})
		}
		b.pool.LearnLikewise(now)
	}
	if l.lag > 0 {
		at = max(at, now-l.lag)
	}
	b.pool.SetGatewayRequests(l.requests, at)
}

// clearLoads lets the pool forget it: nobody has told it lately.
func (b *Board) clearLoads() {
	b.pool.ClearGateways()
	b.remote.loads = loads{}
}

// ResumeGateways is called by the worker that begins to ask: the log goes on where the one before left it. whole says that a
// snapshot has been read to its end before.
func (b *Board) ResumeGateways() (next uint64, whole bool) {
	value, _, ok := b.store.Get(b.remote.key)
	if !ok || len(value) < remoteHead {
		return 1, false
	}
	return nextOf(value), value[8] == 1
}

// PublishGateways writes the load of the other gateways, of returns that of an endpoint, and what waits at them, as of a time, and where
// their log ends. place is this gateway's among count; 0 and 0 if it is not known. lag is how old news are when they arrive, in ms, if
// gateways tell them as they have them; else 0.
func (b *Board) PublishGateways(next uint64, whole bool, requests float64, place, count int, of func(i int) GatewayLoad, holds []queue.Hold, at, lag int64) {
	v := binary.LittleEndian.AppendUint64(b.buffer[:0], next)
	if whole {
		v = append(v, 1)
	} else {
		v = append(v, 0)
	}
	v = binary.LittleEndian.AppendUint32(v, uint32(b.generation))
	v = binary.LittleEndian.AppendUint64(v, uint64(at))
	v = bytestr.AppendFloat16(v, requests)
	v = binary.LittleEndian.AppendUint16(v, uint16(place))
	v = binary.LittleEndian.AppendUint16(v, uint16(count))
	v = binary.LittleEndian.AppendUint16(v, uint16(min(max(lag, 0), 1<<16-1)))
	v = appendHolds(v, holds)
	for i := range b.pool.Endpoints {
		l := of(i)
		v = binary.LittleEndian.AppendUint16(v, uint16(min(max(l.InFlight+0.5, 0), 1<<16-1)))
		v = append(bytestr.AppendFloat16(v, l.Work), make([]byte, lineSize)...)
		putLine(v[len(v)-lineSize:], &l.Line, at)
	}
	b.buffer = v
	b.store.Set(b.remote.key, v, 0)
}

// Endpoint is the index of an address in the pool; −1 if it is not there.
func (b *Board) Endpoint(address string) int {
	r := &b.remote
	if r.indices == nil || r.of != b.generation || r.listed != len(b.pool.Endpoints) {
		r.of, r.listed, r.indices = b.generation, len(b.pool.Endpoints), make(map[string]int, len(b.pool.Endpoints))
		for i := range b.pool.Endpoints {
			r.indices[b.pool.Endpoints[i].Address] = i
		}
	}
	if i, ok := r.indices[address]; ok && b.IsEndpoint(i, address) {
		return i
	}
	return -1
}

// IsEndpoint says whether i is the index of an address in the pool, as Endpoint found it once.
func (b *Board) IsEndpoint(i int, address string) bool {
	return i >= 0 && i < len(b.pool.Endpoints) && b.pool.Present(i) && b.pool.Endpoints[i].Address == address
}

// RecordRemote writes an entry of another gateway as number n of the log; relayed says that a third gateway brought it. It
// reports false, and writes nothing, if the endpoint is not in the pool.
func (b *Board) RecordRemote(n uint64, e *news.Entry, relayed bool, now int64) bool {
	i := b.Endpoint(e.Endpoint)
	if i < 0 {
		return false
	}
	at := now - e.Age*1e6
	v := pool.Visit{Step: e.Step, Chain: &e.Chain, First: e.First, Sent: at - e.Used*1e6, At: at}
	what := action(&v, i)
	if relayed {
		what |= entryRelayed
	}
	b.buffer = b.appendEntry(b.buffer[:0], n, what, &v)
	b.buffer = binary.LittleEndian.AppendUint64(b.buffer, e.Origin)
	b.store.Set(b.remoteLogKey(n), b.buffer, 0)
	return true
}

// Incarnation is a number that identifies this run of the proxy, of all its pools. The first that asks for it sets it to fresh,
// any random number: the main thread, before there are workers.
func Incarnation(store Store, fresh uint64) uint64 {
	return drawn(store, KeyPrefix+"incarnation", func() uint64 { return fresh })
}
