package worker

import "warmroute/plugin/pool"

// unsent are the requests that were decided before their body had come, while the rest of it has not: as many as are read on at most
// (inspect.Inspector.ReadOn). When the rest takes pool.UnsentFor, the prompt counts no more until it has come.
type unsent []*Exchange

func (u *unsent) add(x *Exchange) {
	*u = append(*u, x)
	x.unsentAt = len(*u)
}

// drop takes a request out; nothing, if it is none of them.
func (u *unsent) drop(x *Exchange) {
	if x.unsentAt == 0 {
		return
	}
	list := *u
	last := list[len(list)-1]
	list[x.unsentAt-1], last.unsentAt = last, x.unsentAt
	list[len(list)-1] = nil
	*u, x.unsentAt = list[:len(list)-1], 0
}

// tick suspends those whose clients have held back the rest for too long.
func (u *unsent) tick(now int64) {
	for i := len(*u) - 1; i >= 0; i-- {
		x := (*u)[i]
		if age := now - x.began; age >= 0 && age < pool.UnsentFor { // below 0 the clock was set back
			continue
		}
		u.drop(x)
		if p := x.pool; x.open && p.known != nil {
			p.known.Suspend(&x.decision.Flight, now)
			x.shadow.suspend(now)
			p.board.Publish(now)
		}
	}
}
