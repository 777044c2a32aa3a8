package peers

import "container/list"

// weighted is what one replica was sent, of segments of prompts: by last use, and no more than its memory has room for.
type weighted struct {
	capacity, used int // blocks of the replica
	order          *list.List
	entries        map[uint64]*list.Element // of order, by hash
}

// weight is a segment's cost in blocks of the replica.
type weight struct {
	hash uint64
	cost int
}

func newWeighted(capacity int) *weighted {
	return &weighted{capacity: capacity, order: list.New(), entries: map[uint64]*list.Element{}}
}

// bound sets the room.
func (w *weighted) bound(capacity int) {
	w.capacity = capacity
	w.evict()
}

// matched is how many tokens of a prompt's leading segments are there.
func (w *weighted) matched(chain []segment) (tokens int) {
	for _, s := range chain {
		if w.entries[s.hash] == nil {
			break
		}
		tokens += s.tokens
	}
	return tokens
}

// send notes that the replica, of blocks of so many tokens, was sent a prompt: its head was used last.
func (w *weighted) send(chain []segment, blockSize int) {
	for i := len(chain) - 1; i >= 0; i-- {
		s := chain[i]
		if e := w.entries[s.hash]; e != nil {
			w.order.MoveToFront(e)
			continue
		}
		cost := (s.tokens + blockSize - 1) / blockSize
		w.entries[s.hash] = w.order.PushFront(weight{s.hash, cost})
		w.used += cost
	}
	w.evict()
}

// evict forgets what was used least recently.
func (w *weighted) evict() {
	for w.used > w.capacity {
		e := w.order.Back()
		old := w.order.Remove(e).(weight)
		w.used -= old.cost
		delete(w.entries, old.hash)
	}
}
