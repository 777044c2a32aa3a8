package replay

import "warmroute/hostsim/internal/trace"

// live keeps a number of sessions under way, as a load generator with so many users does: the next one begins when one
// has ended. A session is a request that waits for no other, and all that wait for it.
type live struct {
	most  int   // 0: every session begins at its own time
	root  []int // of each request: its session's first
	left  []int // of each first request: those of its session that have not ended
	later []int // first requests of the sessions that have not begun, in order
}

func newLive(requests []trace.Request, most int) live {
	l := live{most: most}
	if most == 0 {
		return l
	}
	l.root, l.left = make([]int, len(requests)), make([]int, len(requests))
	begun := 0
	for i := range requests {
		l.root[i] = i
		for after := requests[i].After; after >= 0; after = requests[after].After {
			l.root[i] = after
		}
		l.left[l.root[i]]++
		if l.root[i] != i {
			continue
		}
		if begun++; begun > most {
			l.later = append(l.later, i)
		}
	}
	return l
}

// holds says whether the session that begins with a request has to wait for another to end.
func (l *live) holds(first int) bool {
	return len(l.later) > 0 && first >= l.later[0]
}

// ended counts a request's end; if that ends its session, the first request of the next one follows.
func (l *live) ended(request int) (next int, ok bool) {
	if l.most == 0 {
		return 0, false
	}
	root := l.root[request]
	if l.left[root]--; l.left[root] > 0 || len(l.later) == 0 {
		return 0, false
	}
	next = l.later[0]
	l.later = l.later[1:]
	return next, true
}
