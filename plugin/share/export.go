package share

import (
	"encoding/binary"

	"warmroute/plugin/news"
)

// Export reads the logs of this proxy for another gateway, merged by time: those of its workers, and what it has from other
// gateways. Positions are the number of the next entry of each log: first that of the other gateways, then by slot. It keeps
// nothing from page to page, so any worker can answer any ask.
type Export struct {
	b       *Board
	now     int64
	cursors []cursor // by log
	first   int      // the one with the oldest entry; −1: none has any
	entry   news.Entry
	at      []uint64
}

const (
	remoteLog = -1 // slot of the log of what other gateways reported

	// recently is how far back a gateway reads that knows the caches, but has asked this one never before: longer than it
	// takes until another worker asks, in nanoseconds.
	recently = 10e9
)

// Begin opens the logs at the given positions. Without any it begins at what was done recently, or with snapshot at the
// oldest entries. remote says that the other gateways' log is wanted.
func (x *Export) Begin(b *Board, at []uint64, snapshot, remote bool, now int64) {
	x.b, x.now, x.cursors = b, now, x.cursors[:0]
	x.open(remoteLog, at, snapshot, remote)
	for i := 0; i < maxWorkers && x.open(i, at, snapshot, true); i++ { // slots are claimed in order
	}
	x.choose()
}

// Logs is how many logs there are.
func (x *Export) Logs() int { return len(x.cursors) }

// open opens one log; false if there is none.
func (x *Export) open(slot int, at []uint64, snapshot, wanted bool) bool {
	key := x.b.remote.key // "" is never set
	if slot != remoteLog {
		key = x.b.peer(slot).slotKey
	}
	value, _, ok := x.b.store.Get(key)
	if slot != remoteLog && (!ok || len(value) == 0) {
		return false
	}
	n := len(x.cursors)
	if n < cap(x.cursors) {
		x.cursors = x.cursors[:n+1]
	} else {
		x.cursors = append(x.cursors, cursor{})
	}
	c := &x.cursors[n]
	*c = cursor{slot: slot, next: nextOf(value), entry: c.entry[:0]}
	low := oldest(c.next)
	if slot == remoteLog {
		low = remoteOldest(c.next)
	}
	switch {
	case !wanted:
		c.at = c.next
	case n < len(at) && at[n] >= low && at[n] <= c.next:
		c.at = at[n]
	case n < len(at) || snapshot: // the asker has fallen behind, or is new
		c.at = low
	default:
		c.at = x.since(slot, low, c.next)
	}
	x.fetch(c)
	return true
}

// since is the first entry of a log that was done recently. Entries are in the order of time, those of other gateways nearly.
func (x *Export) since(slot int, low, high uint64) uint64 {
	last := high
	for low < high {
		middle := low + (high-low)/2
		if value, ok := x.value(slot, middle, last); ok && happenedAt(value) >= x.now-recently {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// value is an entry of a log whose next one is known, valid until the next call; false if it cannot be read any more.
func (x *Export) value(slot int, n, next uint64) ([]byte, bool) {
	if slot != remoteLog {
		if n >= pageOf(next) {
			slot, _, _ := x.b.store.Get(x.b.peer(slot).slotKey)
			if value := entryOf(lastPageOf(slot), n); x.b.readable(value, n) {
				return value, true
			}
		}
		page, _, _ := x.b.store.Get(x.b.pageKey(slot, n))
		value := entryOf(page, n)
		return value, x.b.readable(value, n)
	}
	value, _, ok := x.b.store.Get(x.b.remoteLogKey(n))
	if !ok || len(value) < originLength || !x.b.readable(value[:len(value)-originLength], n) {
		return nil, false
	}
	return value, true
}

// fetch copies the log's first readable entry from at on.
func (x *Export) fetch(c *cursor) {
	for ; c.at < c.next; c.at++ {
		if value, ok := x.value(c.slot, c.at, c.next); ok {
			c.entry, c.happened = append(c.entry[:0], value...), happenedAt(value)
			return
		}
	}
}

// choose finds the oldest entry of all logs.
func (x *Export) choose() {
	x.first = -1
	for i := range x.cursors {
		if c := &x.cursors[i]; c.at < c.next && (x.first < 0 || c.happened < x.cursors[x.first].happened) {
			x.first = i
		}
	}
}

// Next is the next entry, nil if there is none, valid until Skip. own is this proxy's incarnation. direct says that this
// proxy has it from one of its own workers or from the gateway that routed it.
func (x *Export) Next(own uint64) (e *news.Entry, direct bool) {
	if x.first < 0 {
		return nil, false
	}
	c := &x.cursors[x.first]
	value, e := c.value(), &x.entry
	if e.Origin = own; c.slot == remoteLog {
		e.Origin = binary.LittleEndian.Uint64(c.entry[len(value):])
	}
	v, endpoint, relayed := actionOf(value)
	e.Step, e.First, e.Endpoint = v.Step, v.First, x.b.pool.Endpoints[endpoint].Address
	e.Used = (v.At - v.Sent) / 1e6
	e.Age = max((x.now-c.happened)/1e6, 0)
	readChain(value, &e.Chain)
	return e, !relayed
}

// Skip goes on to the entry after Next's.
func (x *Export) Skip() {
	c := &x.cursors[x.first]
	c.at++
	x.fetch(c)
	x.choose()
}

// Positions are what to ask for next time.
func (x *Export) Positions() []uint64 {
	x.at = x.at[:0]
	for i := range x.cursors {
		x.at = append(x.at, x.cursors[i].at)
	}
	return x.at
}

// More says whether there are entries left.
func (x *Export) More() bool { return x.first >= 0 }
