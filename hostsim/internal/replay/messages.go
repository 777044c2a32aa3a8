package replay

import "container/heap"

// messages is what is on its way, by when it arrives, then by when it was sent.
type messages struct {
	list []*message // a heap
	sent int
}

type message struct {
	at     int64 // ns
	number int
	off    bool // it is not to arrive
	arrive func() error
}

// send puts a message on its way, to arrive at a time in ns.
func (m *messages) send(at int64, arrive func() error) *message {
	m.sent++
	sent := &message{at: at, number: m.sent, arrive: arrive}
	heap.Push(m, sent)
	return sent
}

// next is when the first arrives; false if there is none.
func (m *messages) next() (at int64, ok bool) {
	for len(m.list) > 0 && m.list[0].off {
		heap.Pop(m)
	}
	if len(m.list) == 0 {
		return 0, false
	}
	return m.list[0].at, true
}

// arriveBy lets arrive what is due.
func (m *messages) arriveBy(now int64) error {
	for at, ok := m.next(); ok && at <= now; at, ok = m.next() {
		if err := heap.Pop(m).(*message).arrive(); err != nil {
			return err
		}
	}
	return nil
}

func (m *messages) Len() int      { return len(m.list) }
func (m *messages) Swap(i, j int) { m.list[i], m.list[j] = m.list[j], m.list[i] }
func (m *messages) Less(i, j int) bool {
	a, b := m.list[i], m.list[j]
	return a.at < b.at || a.at == b.at && a.number < b.number
}
func (m *messages) Push(x any) { m.list = append(m.list, x.(*message)) }
func (m *messages) Pop() any {
	last := m.list[len(m.list)-1]
	m.list[len(m.list)-1] = nil
	m.list = m.list[:len(m.list)-1]
	return last
}
