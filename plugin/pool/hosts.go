package pool

import (
	"strings"

	"warmroute/plugin/speed"
)

// Endpoints of one IP address, at several ports, may share a processor: servers that take turns on one GPU, or on the same cores. While one
// more of them is at work, all are slower. Whether that is so is learned from their streams (speed.Together); endpoints of other addresses
// are taken to have a processor each.

// hosts are the addresses that have several endpoints.
type hosts struct {
	of       []int32 // by endpoint, its host; −1: it has an address to itself
	list     []host
	together speed.Together
	relaxed  float64 // Relaxed
	changes  uint32  // Pool.Changes of the lists
	costs    []float64
}

// host is such an address.
type host struct {
	members []int
	working float64 // members that have requests, since at
	at      int64   // ns
	worked  float64 // its integral since the first request, in endpoints × seconds
}

// mostMembers is the endpoints of an address from which it is none of a host, but of something that forwards.
const mostMembers = 64

// pace is what a stream keeps of its first token's time, to learn how long each of its tokens took.
type pace struct {
	known    bool
	changes  uint32  // hosts.changes
	worked   float64 // as host.worked
	requests float64 // at its endpoint
	given    float64 // tokens recently given to it
}

// findHosts groups the endpoints by address, where some have joined or left.
func (p *Pool) findHosts() {
	h := &p.hosts
	if h.changes == p.changes && len(h.of) == len(p.Endpoints) {
		return
	}
	h.changes = p.changes
	h.of, h.list = h.of[:0], nil
	byIP := make(map[string][]int, p.size)
	for i := range p.Endpoints {
		if h.of = append(h.of, -1); p.Present(i) {
			address := p.Endpoints[i].Address
			ip := address[:max(strings.LastIndexByte(address, ':'), 0)]
			byIP[ip] = append(byIP[ip], i)
		}
	}
	for _, members := range byIP {
		if len(members) < 2 || len(members) > mostMembers {
			continue
		}
		for _, i := range members {
			h.of[i] = int32(len(h.list))
		}
		h.list = append(h.list, host{members: members})
	}
}

// hostOf is endpoint i's host; nil: it has none, or joined since the last Tick.
func (p *Pool) hostOf(i int) *host {
	if len(p.hosts.list) == 0 || i >= len(p.hosts.of) || p.hosts.of[i] < 0 {
		return nil
	}
	return &p.hosts.list[p.hosts.of[i]]
}

// observe notes at endpoint i's host that requests there have come or gone.
func (p *Pool) observe(i int, now int64) {
	h := p.hostOf(i)
	if h == nil {
		return
	}
	h.worked += h.working * float64(max(now-h.at, 0)) / 1e9
	h.working, h.at = 0, now
	for _, k := range h.members {
		if p.Requests(k, now) >= 0.5 {
			h.working++
		}
	}
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

// learnPace learns from a stream that has ended well. The prompts that its endpoint has computed meanwhile are left out; where they took
// much of the time, it says nothing.
func (p *Pool) learnPace(f *Flight, now int64, o *Outcome) {
	h := p.hostOf(f.endpoint)
	seconds := float64(now-f.first) / 1e9
	if h == nil || p.borrowed || !f.streams || !f.pace.known || f.pace.changes != p.hosts.changes || o.OutputTokens < shortPace || seconds <= 0 {
		return
	}
	p.observe(f.endpoint, now)
	_, own := p.OwnWork(f.endpoint, now)
	e := &p.ends[f.endpoint]
	given := max(own+e.workers.work+e.gateways.work-f.pace.given*fade(seconds*1e9/WorkSpan), 0)
	left := seconds - given*p.PerToken(f.endpoint)
	if left < seconds*mostlyOwn {
		return
	}
	beside := (f.pace.requests + p.Requests(f.endpoint, now) + 1) / 2 // this one has left
	p.hosts.together.Add((h.worked-f.pace.worked)/seconds, beside, left/float64(o.OutputTokens-1))
}

// fitHosts learns from the streams that have ended. It is to be called now and then.
func (p *Pool) fitHosts() {
	h := &p.hosts
	if p.findHosts(); len(h.list) == 0 {
		return
	}
	h.together.Fit()
	h.relaxed = 1
	if at := h.together.Together(); at > 0 && h.together.Told() {
		members := 0
		for k := range h.list {
			members += len(h.list[k].members)
		}
		if members == p.size {
			h.relaxed = max(float64(members)/float64(len(h.list))/at, 1)
		}
	}
}

// Together is how many endpoints of one IP address work at once at full speed, as far as it has been learned; 0: they do not slow each
// other, or no address has several.
func (p *Pool) Together() float64 {
	if len(p.hosts.list) == 0 {
		return 0
	}
	return p.hosts.together.Together()
}

// Relaxed is how many times its share of the requests an endpoint may have because others of its host would only slow it: 1 where each has a
// processor of its own.
func (p *Pool) Relaxed() float64 { return max(p.hosts.relaxed, 1) }

// roomy is the share of what comes back that caches still hold up to which all of a host's memory is needed, however its endpoints slow each
// other. It is judged (docs/rule.md).
const roomy = 0.8

// mostAssumed is what an endpoint at work for longer costs before anything is told: enough for few to be at work at times, which tells, and
// less than a prompt of some length. It is judged (docs/rule.md).
const mostAssumed = 1000

// Crowding is what a request costs at each endpoint, in prompt tokens, because it keeps this one of its host's endpoints at work for longer;
// nil: nothing anywhere. Responses end by chance (exponentially) after the mean time T, so that one more beside n others keeps it at work
// for T ÷ (n + 1) longer. Meanwhile the host's others are slower by a part of their time (speed.Together.Slows): each prompt that waits
// there by all of that, and each response under way by slowed of it. Where caches lose what comes back, it is worth less, and nothing from
// roomy on: the memory of the others is needed. all is the last Look's; valid until the next call.
func (p *Pool) Crowding(all []Summary, slowed float64) []float64 {
	if p.Together() == 0 {
		return nil
	}
	h := &p.hosts
	h.costs = append(h.costs[:0], make([]float64, len(all))...)
	scale, told := p.MeanResidence()/p.Usual()*max(p.KeptShare()-roomy, 0)/(1-roomy), h.together.Told()
	for k := range h.list {
		members := h.list[k].members
		working, harmed := 0.0, 0.0
		for _, i := range members {
			working, harmed = working+works(&all[i]), harmed+harm(&all[i], slowed)
		}
		for _, i := range members {
			t, each := &all[i], float64(mostAssumed)
			if told {
				each = h.together.Slows(working-works(t)) * (harmed - harm(t, slowed)) * scale
			}
			h.costs[i] = each / (1 + t.Requests)
		}
	}
	return h.costs
}

// works is 1 for an endpoint that has requests.
func works(t *Summary) float64 {
	if t.Requests >= 0.5 {
		return 1
	}
	return 0
}

// harm is how many first tokens are late, and stalls in parts of them, if an endpoint is slower.
func harm(t *Summary, slowed float64) float64 { return t.Waiting + float64(slowed*t.Requests) }
