package pool

// A page of metrics may be that of another time: an exporter that keeps the last one it got, or a process that has gone and left its gauges.
// What it shows is then believed anew each second, and a replica that was busy when the page stopped is left for ever. But a server that
// answers looks prompts up in its cache, which its page counts. So a page that stays as it is while responses come whose requests were sent
// after it had come says nothing of the present. Nor does one of requests that run for half a minute in the very same memory: what generates
// takes more of it. If its server hangs, requests show that.

// stuck is what is known of that.
type stuck struct {
	moved    int64 // ns: when a page came that differed from the one before
	answered int64 // ns: when a response came of a request of this worker that was sent since then, the first one; 0: none has
	same     int   // pages that were read since that was so; another worker's come up to two ticks later
	busy     bool  // it stays as it is, with requests that run, for longer than these take to need memory
}

// samePages is how many pages must show nothing of a response: one may have been read before it. One response is enough, for a replica that looks
// busy gets few.
const samePages = 2

// sameBusy is how long a page of running requests may stay as it is, in nanoseconds.
const sameBusy = 30e9

// next is the state at a page that is, or is not, as the one before.
func (s stuck) next(same, runs bool, now int64) stuck {
	if !same {
		return stuck{moved: now}
	}
	s.busy = runs && now-s.moved >= sameBusy
	if s.answered != 0 && now > s.answered {
		s.same++
	}
	return s
}

func (s *stuck) is() bool { return s.same >= samePages || s.busy }

// contradict takes a response that shows that its prompt has been computed. One for which no cache is read is not counted by its server.
func (p *Pool) contradict(f *Flight, now int64) {
	if s := &p.ends[f.endpoint].metrics.stuck; s.answered == 0 && p.same(f) && !f.atypical && f.begun > s.moved {
		s.answered = now
	}
}

// StuckPage is the lowest index of an endpoint whose page of metrics has stopped; −1: there is none.
func (p *Pool) StuckPage() int {
	for i := range p.ends {
		if p.ends[i].metrics.stuck.is() && p.Present(i) {
			return i
		}
	}
	return -1
}
