package pool

import "warmroute/plugin/recent"

// pace is what a stream keeps of its first token's time, to learn how long each of its tokens took.
type pace struct {
	known    bool
	changes  uint32  // hosts.changes
	worked   float64 // as host.worked
	requests float64 // at its endpoint
	given    float64 // tokens recently given to it
}

// beginPace is called at a stream's first token.
func (p *Pool) beginPace(f *Flight, now int64) {
	h := p.hostOf(f.endpoint)
	if h == nil {
		return
	}
	p.observe(f.endpoint, now)
	_, own := p.OwnWork(f.endpoint, now)
	e := &p.ends[f.endpoint]
	f.pace = pace{true, p.hosts.changes, h.worked, p.Requests(f.endpoint, now), own + e.workers.work + e.gateways.work}
}

const (
	// shortPace is the fewest tokens of a response that say how long each took.
	shortPace = 8

	// mostlyOwn is the share of a response's time that its own tokens are to take for it to say something: the rest, in which its endpoint
	// computes prompts, is only estimated.
	mostlyOwn = 0.7
)

// learnPace learns from a response that has ended well.
func (p *Pool) learnPace(f *Flight, now int64, o *Outcome) {
	h := p.hostOf(f.endpoint)
	if h == nil || p.borrowed {
		return
	}
	if working, beside, seconds, says := p.paceOf(f, h, now, o); says {
		p.hosts.together.Add(working, beside, seconds)
	} else {
		p.hosts.together.Pass()
	}
}

// paceOf is what a response says, as speed.Together.Add takes it; false: nothing. Only a stream does whose usage tells its tokens. The
// prompts that its endpoint has computed meanwhile are left out; where they took much of the time, it says nothing.
func (p *Pool) paceOf(f *Flight, h *host, now int64, o *Outcome) (working, beside, each float64, says bool) {
	seconds := float64(now-f.first) / 1e9
	if !f.streams || !f.pace.known || f.pace.changes != p.hosts.changes || o.OutputTokens < shortPace || seconds <= 0 {
		return 0, 0, 0, false
	}
	p.observeHost(h, now)
	_, own := p.OwnWork(f.endpoint, now)
	e := &p.ends[f.endpoint]
	given := max(own+e.workers.work+e.gateways.work-f.pace.given*recent.Weight(seconds*1e9/recent.Span), 0)
	left := seconds - given*p.PerToken(f.endpoint)
	working = (h.worked - f.pace.worked) / seconds
	if left < seconds*mostlyOwn || working > float64(len(h.members))+0.5 { // more than there are: the clock was set back
		return 0, 0, 0, false
	}
	beside = (f.pace.requests + p.Requests(f.endpoint, now) + 1) / 2 // this one has left
	return working, beside, left / float64(o.OutputTokens-1), true
}
