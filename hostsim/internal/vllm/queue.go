package vllm

import (
	"cmp"
	"slices"
)

// queue is first come first served; preempted requests return to its head. At most half of its slice is dead space. If
// ordered, the request of the lowest priority value comes first, and of equal ones the one that arrived first.
type queue struct {
	items   []*seq
	head    int
	ordered bool
}

func (q *queue) len() int   { return len(q.items) - q.head }
func (q *queue) peek() *seq { return q.items[q.head] }
func (q *queue) push(s *seq) {
	if q.ordered {
		q.insert(s)
		return
	}
	q.items = append(q.items, s)
}

// insert puts s in its place by before.
func (q *queue) insert(s *seq) {
	at, _ := slices.BinarySearchFunc(q.items[q.head:], s, before)
	q.items = slices.Insert(q.items, q.head+at, s)
}

// before orders by priority, then by arrival.
func before(a, b *seq) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.Queued, b.Queued), cmp.Compare(a.ID, b.ID))
}

func (q *queue) pop() {
	q.items[q.head] = nil
	q.head++
	if q.head*2 > len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}

func (q *queue) pushFront(s *seq) {
	if q.ordered {
		q.insert(s)
		return
	}
	if q.head > 0 {
		q.head--
		q.items[q.head] = s
		return
	}
	q.items = slices.Insert(q.items, 0, s)
}

func (q *queue) remove(s *seq) {
	q.items = append(q.items[:q.head], remove(q.items[q.head:], s)...)
}

// remove takes s out of list, in order.
func remove(list []*seq, s *seq) []*seq {
	if i := slices.Index(list, s); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
