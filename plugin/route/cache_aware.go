package route

import "warmroute/plugin/config"

// cacheAware takes the endpoint with the highest score, of weighted shares; nothing in it is a time, and the weights say
// what a share of load is worth in shares of the prompt. For endpoint i, a mean being that of its weight:
//
//	match  the leading part of the prompt that its cache is believed to hold
//	load   above(tokens given to it in the last minute) + evenWeight × above(tokens given in the long run)
//	wait   (q − mean q) ÷ (2 × mean q + the prompt), at most 2: q is the prompt tokens that wait there
//	busy   (r − mean r) ÷ (mean r + 2), at most 1: r is the requests there, every client's
//
// with above(x) = (x − mean x) ÷ (mean x + the prompt), at most 1. A share means little where there is little of it: in a
// pool that is nearly idle one request is many times the mean, and must not drive the next one of its conversation away.
// To even out fewer tokens than the prompt at hand would have to be computed again is no gain, so it is held against them.
//
// In wait and busy the queues of the moment come in, which load, being of minutes, knows nothing of. Without wait
// conversations waited 689 ms for the first token and not 635, 904 and not 814 at twice the load, and KubeAI's threads on
// eight 70B replicas were answered 146 times a second, not 249; 60 coding sessions had 14.0 s and now 4.1.
//
// Those at the bound are not for taking, whatever they hold: a share of the prompt is worth no more than the whole of
// it, and what an answer has to wait for others' answers is not bounded.
type cacheAware struct {
	pool    *pool
	weights config.CacheAware
}

// evenWeight is what a share of the long run's load is worth, in shares of the last minute's. Mooncake synthetic ×2 at 800
// blocks, six seeds: imbalance 1.035 and mean TTFT 1,034 ms without, 1.018 and 1,006 with, 1.035 and 1,158 at twice this.
const evenWeight = 5. / 3

// homeShare of a prompt is what the ring's own endpoint is preferred by: what is left of a conversation that is no longer
// believed to be held is there, and other gateways look there too. 1,600 of KubeAI's clients of eight L4 waited 599 ms for
// the first token without it and 418 with it; it costs 0.01 of balance. Twice this costs 0.02.
const homeShare = 0.05

// strangersShare comes on top where other gateways may know the prompt. Two and four gateways hit .250 and .226 on
// mooncake's conversations with it and .22 and .18 with neither. (With twice it and homeShare .26 and .25, at an imbalance
// of 1.07 and 1.08 where it is 1.06 and 1.07.)
const strangersShare = 0.2

func (p *cacheAware) pick(req *Request, n int, d *Decision) {
	p.pool.affinity(req, d)
	_, total := p.pool.arrivals(req.Now)
	p.pool.long.fade(req.Now)
	even := p.pool.even()
	prompt, queue := max(d.promptTokens, 1), 0.0
	for i := range p.pool.cost {
		p.pool.cost[i] = p.pool.queue(i, req.Now)
		if p.pool.class[i] == p.pool.best {
			queue += p.pool.cost[i]
		}
	}
	for i := range p.pool.cost {
		match := 0.0
		if d.Total > 0 {
			match = d.share(int(p.pool.depth[i]))
		}
		work := min(above(p.pool.given[i], total*workSeconds*p.pool.fair(i), prompt), 1)
		work += evenWeight * min(above(p.pool.long.tokens[i], even*float64(p.pool.load.Weight(i)), prompt), 1)
		mean := queue * p.pool.fair(i)
		wait := min(above(p.pool.cost[i], mean, mean+prompt), 2)
		busy := p.pool.crowded(i)
		p.pool.cost[i] = p.weights.LoadWeight*work + p.weights.WaitWeight*wait + p.weights.BusyWeight*busy -
			p.weights.MatchWeight*match
	}
	p.pool.preferHome(homeShare+strangersShare*p.pool.strangers(d), d)
	p.pool.relieve(p.weights.Bound)
	p.pool.leastFirst(0.01, n, d)
	d.Reason = p.pool.reasonOf(d)
	d.term("score", -p.pool.cost[d.Order[0]])
}

// above is how far a load is above the mean, as a share of that and of some more: ≥ −1.
func above(load, mean, more float64) float64 { return (load - mean) / (mean + more) }

// reasonOf says whether the first of the order is the cheapest, and whether it holds as much of the prompt as anyone.
func (p *pool) reasonOf(d *Decision) Reason {
	first, most := d.Order[0], int32(0)
	for i, depth := range p.depth {
		switch {
		case p.class[i] > over:
		case p.class[i] == over && p.cost[i] < p.cost[first]:
			return Bounded
		default:
			most = max(most, depth)
		}
	}
	switch {
	case most == 0:
		return ByLoad
	case p.depth[first] == most:
		return ByMatch
	}
	return Relieved
}
