package replay

import (
	"container/heap"

	"warmroute/hostsim/internal/fleet"
)

// parcel is what is on its way between two zones: a request to its replica, or an event of a replica back.
type parcel struct {
	at, order int64
	work      *fleet.Request // nil: an event comes back
	event     fleet.Event
}

// transit is a heap by time, then by the order of sending.
type transit []parcel

func (t transit) Len() int      { return len(t) }
func (t transit) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t transit) Less(i, j int) bool {
	return t[i].at < t[j].at || t[i].at == t[j].at && t[i].order < t[j].order
}
func (t *transit) Push(x any) { *t = append(*t, x.(parcel)) }
func (t *transit) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// send puts p on its way.
func (r *run) send(p parcel) {
	r.sent++
	p.at, p.order = r.now+int64(r.Zones.Delay)/2, r.sent
	heap.Push(&r.transit, p)
}

// unload hands over what has come.
func (r *run) unload() error {
	for len(r.transit) > 0 && r.transit[0].at <= r.now {
		p := heap.Pop(&r.transit).(parcel)
		if p.work == nil {
			r.tell(p.event)
		} else if err := r.submit(p.work); err != nil {
			return err
		}
	}
	return nil
}
