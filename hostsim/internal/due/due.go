// Package due is what is to happen in virtual time, in order.
package due

import "container/heap"

// Queue is what is on its way, by when it arrives, then by when it was sent.
type Queue struct {
	list []*Event // a heap
	sent int
}

// Event is one message.
type Event struct {
	at     int64 // ns
	number int
	Off    bool // it is not to arrive
	arrive func() error
}

// Send puts a message on its way, to arrive at a time in ns.
func (m *Queue) Send(at int64, arrive func() error) *Event {
	m.sent++
	sent := &Event{at: at, number: m.sent, arrive: arrive}
	heap.Push(m, sent)
	return sent
}

// Next is when the first arrives; false if there is none.
func (m *Queue) Next() (at int64, ok bool) {
	for len(m.list) > 0 && m.list[0].Off {
		heap.Pop(m)
	}
	if len(m.list) == 0 {
		return 0, false
	}
	return m.list[0].at, true
}

// ArriveBy lets arrive what is due.
func (m *Queue) ArriveBy(now int64) error {
	for at, ok := m.Next(); ok && at <= now; at, ok = m.Next() {
		if err := heap.Pop(m).(*Event).arrive(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Queue) Len() int      { return len(m.list) }
func (m *Queue) Swap(i, j int) { m.list[i], m.list[j] = m.list[j], m.list[i] }
func (m *Queue) Less(i, j int) bool {
	a, b := m.list[i], m.list[j]
	return a.at < b.at || a.at == b.at && a.number < b.number
}
func (m *Queue) Push(x any) { m.list = append(m.list, x.(*Event)) }
func (m *Queue) Pop() any {
	last := m.list[len(m.list)-1]
	m.list[len(m.list)-1] = nil
	m.list = m.list[:len(m.list)-1]
	return last
}
