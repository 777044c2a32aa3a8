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
	changes  uint32 // Pool.Changes of the lists
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

// findHosts groups the endpoints by address, where some have joined or left.
func (p *Pool) findHosts() {
	h := &p.hosts
	if h.changes == p.changes && len(h.of) == len(p.Endpoints) {
		return
	}
	h.changes = p.changes
	h.of, h.list = h.of[:0], nil
	groups := make(map[string]int32, p.Size()) // by address, numbered as they come: never in the order of a map
	var sizes []int32
	for i := range p.Endpoints {
		h.of = append(h.of, -1)
		if !p.Present(i) {
			continue
		}
		address := p.Endpoints[i].Address
		ip := address[:max(strings.LastIndexByte(address, ':'), 0)]
		group, known := groups[ip]
		if !known {
			group, sizes = int32(len(sizes)), append(sizes, 0)
			groups[ip] = group
		}
		h.of[i], sizes[group] = group, sizes[group]+1
	}
	numbers := sizes // of the groups' hosts
	for group, size := range sizes {
		if numbers[group] = -1; size >= 2 && size <= mostMembers {
			numbers[group] = int32(len(h.list))
			h.list = append(h.list, host{members: make([]int, 0, size)})
		}
	}
	for i, group := range h.of {
		if group < 0 {
			continue
		}
		if h.of[i] = numbers[group]; h.of[i] >= 0 {
			of := &h.list[h.of[i]]
			of.members = append(of.members, i)
		}
	}
}

// hostOf is endpoint i's host; nil: it has none, or endpoints have joined or left since the last Tick.
func (p *Pool) hostOf(i int) *host {
	if h := &p.hosts; len(h.list) == 0 || h.changes != p.changes || i >= len(h.of) || h.of[i] < 0 {
		return nil
	}
	return &p.hosts.list[p.hosts.of[i]]
}

// observe notes at endpoint i's host that requests there have come or gone.
func (p *Pool) observe(i int, now int64) {
	if h := p.hostOf(i); h != nil {
		p.observeHost(h, now)
	}
}

// observeHost is observe. One that is down computes nothing, however many requests hang there.
func (p *Pool) observeHost(h *host, now int64) {
	h.worked += h.working * float64(max(now-h.at, 0)) / 1e9
	h.working, h.at = 0, now
	for _, k := range h.members {
		if p.Requests(k, now) >= 0.5 && !p.Health.Down(k) {
			h.working++
		}
	}
}

// fitHosts learns from the streams that have ended. It is to be called now and then: others' requests come and go between this worker's.
func (p *Pool) fitHosts(now int64) {
	h := &p.hosts
	p.findHosts()
	for k := range h.list {
		p.observeHost(&h.list[k], now)
	}
	h.together.Fit()
}

// Together is how many endpoints of one IP address work at once at full speed, as far as it has been learned; 0: they do not slow each
// other, or no address has several.
func (p *Pool) Together() float64 {
	if len(p.hosts.list) == 0 {
		return 0
	}
	return p.hosts.together.Together()
}

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
	h := &p.hosts
	if p.Together() == 0 || h.changes != p.changes { // one that has just joined would cost nothing
		return nil
	}
	for len(h.costs) < len(all) {
		h.costs = append(h.costs, 0) // not as many at once by make: TinyGo would allocate them each time
	}
	costs := h.costs[:len(all)]
	clear(costs)
	scale, told := p.Stays.Mean()/p.Usual()*max(p.Returns.Kept()-roomy, 0)/(1-roomy), h.together.Told()
	for k := range h.list {
		members := h.list[k].members
		working, harmed := 0.0, 0.0
		for _, i := range members {
			working, harmed = working+works(&all[i]), harmed+harm(&all[i], slowed)
		}
		if working == 0 {
			continue // whatever they share, there is nobody to slow
		}
		for _, i := range members {
			t, each := &all[i], float64(mostAssumed)
			if told {
				each = h.together.Slows(working-works(t)) * (harmed - harm(t, slowed)) * scale
			}
			costs[i] = each / (1 + t.Requests)
		}
	}
	return costs
}

// works is 1 for an endpoint that has requests, and is not down.
func works(t *Summary) float64 {
	if t.Requests >= 0.5 && t.Class < Down {
		return 1
	}
	return 0
}

// harm is how many first tokens are late, and stalls in parts of them, if an endpoint is slower.
func harm(t *Summary, slowed float64) float64 {
	if t.Class >= Down {
		return 0
	}
	return t.Waiting + float64(slowed*t.Requests)
}
