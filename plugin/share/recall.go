package share

import (
	"slices"
)

// history is one log on the way through its past.
type history struct {
	slot     int
	at, next uint64
	entry    []byte // of number at
	routed   int64
}

// recall reads all logs that there are, merged by time, so that what the caches let go of is also forgotten here in the
// order in which it was used. Logs of workers that are gone count: the caches are still there. Once for each VM; four
// full logs take about as long as sixteen thousand reads of a value.
func (b *Board) recall(now int64) {
	var logs []history
	for i := range b.peers {
		value, _, ok := b.store.Get(b.peers[i].slotKey)
		if !ok || len(value) == 0 {
			break // slots are taken in order
		}
		next := nextOf(value)
		h := history{slot: i, at: first(next), next: next}
		b.peers[i].read = next
		if b.load(&h) {
			logs = append(logs, h)
		}
	}
	for len(logs) > 0 {
		oldest := 0
		for i := range logs {
			if logs[i].routed < logs[oldest].routed {
				oldest = i
			}
		}
		h := &logs[oldest]
		b.learn(h.entry, h.at, now)
		if h.at++; !b.load(h) {
			logs = slices.Delete(logs, oldest, oldest+1)
		}
	}
}

// load takes a copy of the log's first readable entry from at on; false where there is none.
func (b *Board) load(h *history) bool {
	for ; h.at < h.next; h.at++ {
		value, _, ok := b.store.Get(b.logKey(h.slot, h.at))
		if ok && b.readable(value, h.at) {
			h.entry = append(h.entry[:0], value...)
			h.routed = routedAt(value)
			return true
		}
	}
	return false
}
