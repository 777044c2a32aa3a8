package replay

import "warmroute/hostsim/internal/trace"

// limit bounds how many sessions are under way. Those above it wait in the order in which they came, as the threads of
// a load generator with so many clients do.
type limit struct {
	trace   *trace.Trace
	free    int
	left    []int // requests of each session that have not ended
	pending []int // first requests of the sessions that wait
}

func newLimit(t *trace.Trace, sessions int) *limit {
	l := &limit{trace: t, free: sessions, left: make([]int, t.Sessions)}
	for i := range t.Requests {
		l.left[t.Requests[i].Session]++
	}
	return l
}

// enter says whether a request may go on; if not, it is kept, and leave gives it back.
func (l *limit) enter(index int) bool {
	if l.trace.Requests[index].After >= 0 {
		return true // its session is under way
	}
	if l.free == 0 {
		l.pending = append(l.pending, index)
		return false
	}
	l.free--
	return true
}

// leave takes a request's end; where that is its session's, it returns the request that may come instead, or -1.
func (l *limit) leave(index int) int {
	session := l.trace.Requests[index].Session
	if l.left[session]--; l.left[session] > 0 {
		return -1
	}
	l.free++
	if len(l.pending) == 0 {
		return -1
	}
	next := l.pending[0]
	l.pending = l.pending[1:]
	return next
}
