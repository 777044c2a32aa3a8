package share

import "slices"

// cursor is the place in one log up to which it has been replayed.
type cursor struct {
	slot     int
	at, next uint64
	entry    []byte // of number at
	routed   int64  // when its request was routed, nanoseconds
}

// replay reads all logs, merged by time, so that the index evicts in the order in which the caches did. Logs of workers
// that are gone count: the caches are still there. It runs once for each VM; four full logs cost about as much as
// sixteen thousand reads of a value.
func (b *Board) replay(now int64) {
	var logs []cursor
	for i := range maxWorkers {
		value, _, ok := b.store.Get(b.peer(i).slotKey)
		if !ok || len(value) == 0 {
			break // slots are claimed in order
		}
		next := nextOf(value)
		c := cursor{slot: i, at: oldest(next), next: next}
		b.peer(i).read = next
		if b.fetch(&c) {
			logs = append(logs, c)
		}
	}
	for len(logs) > 0 {
		first := 0
		for i := range logs {
			if logs[i].routed < logs[first].routed {
				first = i
			}
		}
		c := &logs[first]
		b.apply(c.entry, c.at, now)
		if c.at++; !b.fetch(c) {
			logs = slices.Delete(logs, first, first+1)
		}
	}
}

// fetch copies the log's first readable entry from at on into the cursor; false if there is none.
func (b *Board) fetch(c *cursor) bool {
	for ; c.at < c.next; c.at++ {
		value, _, ok := b.store.Get(b.logKey(c.slot, c.at))
		if ok && b.readable(value, c.at) {
			c.entry = append(c.entry[:0], value...)
			c.routed = routedAt(value)
			return true
		}
	}
	return false
}
