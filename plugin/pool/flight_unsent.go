package pool

import "warmroute/plugin/recent"

// A request that is decided before its body has come counts as long as its content-length says, so that long prompts which come at a time
// are spread. Its client may hold back the rest for as long as it likes, though, and until that has come its server computes nothing: of
// four endpoints, three with such a request each for minutes, all others would go to the fourth.

// UnsentFor is how long its rest may take until it is to be suspended, in nanoseconds. A megabyte takes less at 5 Mbit/s.
const UnsentFor = 2e9

// awaitEnd says that the end of a stream's prompt has not come. Before it has (noteSent), its endpoint owes nothing (Late), unless it does to
// others; it is taken to have come when the prompt is to be suspended.
func (p *Pool) awaitEnd(f *Flight, now int64) {
	if line := &p.ends[f.endpoint].queue.Streams; f.streams && !f.exact && (line.Waiting == 1 || line.Begun > now) {
		line.Begun = now + UnsentFor
	}
}

// Suspend takes a prompt whose end has not come for a while out of its endpoint's queue, memory and work. It is put back when its end
// comes (Extend, Resume), or whatever else. A second call does nothing, nor does one after its endpoint has left.
func (p *Pool) Suspend(f *Flight, now int64) {
	if f.phase != waiting || f.exact || f.suspended || !p.same(f) {
		return
	}
	p.withdraw(f, now)
	memory := f.memory
	p.leaveMemory(f)
	f.memory = memory // Resume counts it again: to look it up anew would find the prompt itself in the index
	if !f.streams {
		p.finishUnseen(f, now, false)
	}
	p.unread(f)
	p.correctWork(f, now, -f.fadedWork(now))
	f.suspended = true
}

// Resume undoes Suspend: its end has come, though nothing more is known of it than before.
func (p *Pool) Resume(f *Flight, now int64) {
	if !f.suspended {
		return
	}
	f.suspended = false
	p.read(f)
	if !p.same(f) {
		return
	}
	if f.streams {
		p.queueStream(f.endpoint, now, f.uncached)
		p.ends[f.endpoint].memory.found += f.memory
	} else {
		p.moreUnseen(f.endpoint, now, f.uncached, f.deeper)
		f.place = p.ends[f.endpoint].queue.Sent()
	}
	p.correctWork(f, now, f.fadedWork(now))
}

// fadedWork is what is left at now of its part in the endpoint's recent work.
func (f *Flight) fadedWork(now int64) float64 {
	return f.uncached * recent.Since(f.begun, now, recent.Span)
}
