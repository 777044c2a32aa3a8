package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/recent"
)

// cacheAware takes the endpoint where the request costs all users least, in prompt tokens that somebody waits for. For
// endpoint i, with q the prompt tokens queued there, u those of this prompt that its cache does not hold, or will have evicted by then
// (evicted), n the requests there and W the mean number of prompts at an endpoint of the pool that its scheduler has not admitted yet:
//
//	cost = s·(o + max(q, m) + d + κ·f·u·(1 + w + n÷16)) + min(s, 1)·κ·f·u·e
//
//	s    the time that a token takes there, against the mean: 1 unless the endpoint has shown to be faster or slower
//	o    what every response takes beside its prompt, in tokens, where endpoints are of different speed: see pool.Pool.OverheadTokens.
//	     Among equals it is the same at each, and left out
//	q    this request waits for those before it, and, where the next first token there is late, half as long again: see goesOn
//	m    and until there is KV memory for it, in tokens that could be computed meanwhile: see memoryWait. Those before it are
//	     computed in the same time, so that the longer of the two counts
//	d    the step that computes it also computes one token of each response under way, and reads the KV of its context: n + r÷667
//	     tokens, r being those of the requests there, each with half of an answer. So does each step of its own response: these count as a
//	     64th each. And so do those of each of the n, which this one's token and context make longer
//	1    and for its own tokens
//	w    what is computed here delays the prompts behind it: where the pool is loaded, as many as wait now, W. So the longer the
//	     queues, the more a prompt stays where it is held: capacity is what is short then. It is no more than can come before the
//	     endpoint is idle again: see behind
//	n÷16 the n responses under way there stall while it is computed, each by one token of many
//	e    u tokens evict u others, and the younger those are, the likelier they are asked for again. A cache that is given
//	     much turns over fast: e is how far the tokens recently given to it are above its share of all, −1 to 1. Where
//	     nothing else differs, this spreads new prompts evenly, and all memory ages alike. The share is in proportion to an
//	     endpoint's weight, speed and memory (pool.Summary.Share). What is evicted is computed again
//	     wherever it is asked for then, at the pool's speed: hence min(s, 1), so that a slow endpoint that got nothing never looks
//	     cheaper than the time that it takes longer than the mean
//	f    1, and up to 3 where the pool's memory is short: what is evicted there is asked for again: see scarcity
//
// An endpoint in another zone costs cross_zone more, a time, in tokens that could be computed meanwhile.
//
// Where several endpoints of one host share a processor, a request at one costs what it makes the others slower: see pool.Pool.Crowding.
//
// A LoRA adapter that is not loaded there counts like as many tokens of the prompt as could be computed while it is loaded.
//
// A beginning that many prompts share is worth computing at one more endpoint, even where waiting for one that holds it would
// cost less: each that comes later then has one more to choose from, and pays nothing. So where r prompts a minute are
// expected there that begin so (as many as begin so, over one more than hold it), and b within some ten seconds, its part of u
// counts as 1 ÷ (1 + (r÷5)² + .3·b), but for the part of what it evicts that is computed again: see toCompute.
//
// Costs within a thousandth of the prompt are equal, and the ring decides. κ is the setting affinity, 1; the trade-off study
// sweeps it. Where gateways meet, endpoints with unlike memories have as many of the ring's places as these say: see pool.Pool.Places. Where far
// more is live than fits, what is too much is kept together: see keepTogether. Endpoints at the bound of load come last, unless all others cost far more: see excuse. A
// conversation leaves an endpoint where conversations evict each other once they have lost there what leaving costs: see leave.
// docs/rule.md has the ablations, with the commands that print them.
type cacheAware struct {
	view   *view
	config config.CacheAware
	tokens []float64 // by endpoint: u, without an adapter
	each   []float64 // what each of them costs
	least  float64   // the least that one costs which is computed elsewhere
}

func newCacheAware(cfg *config.Config, r *Router, _ source) policy {
	return &cacheAware{view: &r.view, config: cfg.CacheAware}
}

const (
	// stalled is what a stall of a running response counts against a late first token. It is judged, not derived
	// (docs/rule.md).
	stalled = 1. / 16

	// slowed is what a response that is slower because another endpoint of its host is at work counts against a first token that is as much
	// slower. It is judged (docs/rule.md).
	slowed = 1. / 64

	// goesOn is how much of the time by which an endpoint's next first token is late is expected to come. Of a wait nobody knows how long it
	// goes on: it is over by as long again in half of all cases (Gott, see keepTogether). It is judged (docs/rule.md).
	goesOn = 0.5

	// full is the share of the pool's KV memory from which it counts as short: what is left is as much as comes and goes.
	full = 0.9
)

func (p *cacheAware) pick(req *decision.Request, n int, d *decision.Decision) {
	v := p.view
	v.affinity(req, d)
	v.places = v.pool.Places()
	requests, total := v.arrivals()
	v.held = v.pool.Demand(&d.Flight, req.Now)
	prompt := max(d.Tokens, 1)
	p.weigh(requests*(recent.Span/1e9), total*(recent.Span/1e9), prompt, d, req.Now)
	if v.zoned {
		mean := v.perToken()
		for i := range v.cost {
			v.cost[i] += v.pool.CrossZone(i) / mean
		}
	}
	crowding := v.pool.Crowding(v.all, slowed)
	for i, tokens := range crowding {
		v.cost[i] += tokens
	}
	most, second := v.holders()
	v.pool.Return(&d.Flight, int(most), int(second), req.Now-req.Held-v.hold.keeps)
	kept := stay{home: -1}
	if v.keepsTogether(most, req.Now) {
		v.keepTogether(most, second, d, req.Now)
	} else {
		v.relieveBySpeed(p.config.Bound)
		v.excuse(d)
		p.meet(total*(recent.Span/1e9), req, d)
		if most > second && int(most) > v.pool.Shared() {
			kept = p.leave(most, d, req.Now)
		}
	}
	v.blur(req.Now)
	v.leastFirst(nearTie*prompt+v.spread(d, req.Now), n, d)
	d.Reason = v.reasonOf(d)
	first := d.Order[0]
	p.settle(&kept, first, req.Now)
	d.Term("cost_tokens", v.cost[first])
	d.Term("queued_tokens", v.all[first].Queue)
	d.Term("uncached_tokens", d.Uncached(int(v.depth[first])))
	if crowding != nil {
		d.Term("crowding_tokens", crowding[first])
	}
	v.loadTerm(first, req.Now, d)
}

// weigh sets the cost of each endpoint. requests and total are what came in the last minute, total in prompt tokens.
func (p *cacheAware) weigh(requests, total, prompt float64, d *decision.Decision, now int64) {
	v := p.view
	usual, mean, typical := v.pool.Usual(), v.slower(), v.pool.Stays.MeanTokens()
	behind, steps := v.behind(requests, total), v.steps(prompt, typical)
	p.least = p.config.Affinity * (1 + behind.waiting)
	adapter := d.NeedsAdapter()
	evicted := v.evictedAgain(typical)
	nothing := v.toCompute(0, requests, evicted, d) // where none of the prompt is held
	depth, rest := int32(0), nothing                // of the last endpoint that holds some
	share, fair, span := 0.0, 0.0, prompt           // of the last endpoint
	times, slower := mean, 1.0                      // likewise: a division takes as long as all the rest
	all := v.all
	depths, given, costs := v.depth[:len(all)], v.given[:len(all)], v.cost[:len(all)]
	affinity, overhead, reserve := float64(p.config.Affinity*v.scarcity()), v.pool.OverheadTokens(), v.reserve()
	for len(p.each) < len(all) {
		p.tokens, p.each = append(p.tokens, 0), append(p.each, 0)
	}
	uncached, each := p.tokens[:len(all)], p.each[:len(all)]
	for i := range all {
		t := &all[i]
		tokens := nothing
		if at := depths[i]; at > 0 {
			if at != depth {
				depth, rest = at, v.toCompute(at, requests, evicted, d)
			}
			tokens = rest + v.evicted(i, typical, d)
		}
		uncached[i] = tokens
		if adapter {
			tokens += v.pool.LoadTokens(&d.Flight, i, now)
		}
		if t.Share != share {
			share, fair = t.Share, total*v.fairWork(i)
			span = fair + prompt
		}
		above := (given[i] - fair) / span // −1 to 1: how far what it got lately is above its share of all
		if above > 1 {                    // min asks for NaN, which this is not
			above = 1
		}
		if t.Slower != times {
			times, slower = t.Slower, t.Slower/mean
		}
		if slower < 1 {
			above *= slower
		}
		queued := t.Queue + float64(goesOn*t.Late)
		if mayWait(t, prompt, typical, reserve) {
			if wait := v.memoryWait(i, prompt, usual, typical, d, now); wait > queued { // as above
				queued = wait
			}
		}
		each[i] = affinity * (slower*(1+behind.at(t.Weight, queued+tokens)+stalled*t.Requests) + above)
		costs[i] = float64(slower*(overhead+queued+float64(steps.own*steps.longer(t))+float64(steps.others*t.Requests))) + float64(tokens*each[i])
	}
}

// perToken is the mean time that a token takes at the endpoints that bear the load, in seconds.
func (v *view) perToken() float64 { return v.pool.Usual() * v.slower() }

// slower is the mean of pool.Summary.Slower at them.
func (v *view) slower() float64 {
	if v.shares.size == 0 {
		return 1
	}
	return v.shares.slower / float64(v.shares.size)
}

// waiting is the mean number of prompts that wait at an endpoint of those that bear the load. What pages alone show at one counts at most as
// much as at all others together.
func (v *view) waiting() float64 {
	return v.shares.waiting/float64(max(v.shares.size, 1)) + v.shares.foreign.Mean(0)
}

// reasonOf says whether the first of the order is the cheapest, and whether it holds as much of the prompt as anyone.
func (v *view) reasonOf(d *decision.Decision) decision.Reason {
	first, most := d.Order[0], int32(0)
	if len(v.pool.Levels()) == 0 && v.alike {
		return decision.ByLoad
	}
	for i, depth := range v.depth {
		switch {
		case v.class[i] > over:
		case v.class[i] == over && v.cost[i] < v.cost[first]:
			return v.why(i)
		default:
			most = max(most, depth)
		}
	}
	switch {
	case most == 0:
		return decision.ByLoad
	case v.depth[first] == most:
		return decision.ByMatch
	}
	return decision.Relieved
}
