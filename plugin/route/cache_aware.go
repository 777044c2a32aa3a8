package route

import "warmroute/plugin/config"

// cacheAware takes the highest weighted score of the matched share of the prompt and of load: the tokens given to an
// endpoint in the last minute and in the long run, and the requests there now, each against its fair share. Nothing in it
// is a time; the weights say what a share of load is worth in shares of the prompt.
//
// A share of the load means little where there is little of it: in a pool that is nearly idle one request is many times
// the mean, and must not drive the next one of its conversation away. So what is above the fair share counts up to twice
// of that, and all of it by r ÷ (r + few), r being the requests of the last minute for each endpoint.
type cacheAware struct {
	pool    *pool
	weights config.CacheAware
}

// evenWeight is what a share of the long run's load is worth, in shares of the last minute's. Mooncake synthetic ×2 at 800
// blocks, six seeds: imbalance 1.035 and mean TTFT 1,034 ms without, 1.018 and 1,006 with, 1.035 and 1,158 at twice this.
const evenWeight = 5. / 3

// few is the requests in a minute at which an endpoint's share of the load counts half.
const few = 4

// strangersShare of a prompt is what the ring's own endpoint is preferred by, where other gateways may know the prompt.
// Two and four gateways hit .246 and .208 on mooncake's conversations and .206 and .146 without, at an imbalance of 1.04
// and 1.05 against 1.01; .449 and .369 on synthetic, and .434 and .319 without. With a whole share .26 and .24, at 1.19.
const strangersShare = 0.2

func (p *cacheAware) pick(req *Request, n int, d *Decision) {
	p.pool.affinity(req, d)
	requests, total := p.pool.arrivals(req.Now)
	p.pool.long.fade(req.Now)
	even := p.pool.even()
	for i := range p.pool.cost {
		match := 0.0
		if d.Total > 0 {
			match = float64(p.pool.depth[i]) / float64(d.Total)
		}
		work := above(p.pool.given[i], total*workSeconds*p.pool.fair(i))
		work += evenWeight * above(p.pool.long.tokens[i], even*float64(p.pool.load.Weight(i)))
		busy := p.pool.inFlight(i)
		recent := requests * workSeconds * p.pool.fair(i)
		work *= recent / (recent + few)
		p.pool.cost[i] = p.weights.LoadWeight*work + p.weights.BusyWeight*min(busy, 2)/2 - p.weights.MatchWeight*match
	}
	p.pool.preferHome(strangersShare*p.pool.strangers(d), d)
	p.pool.leastFirst(0.01, n, d)
	d.Reason = p.pool.reasonOf(d)
	d.term("score", -p.pool.cost[d.Order[0]])
}

// above is how far a load is above the fair one, as a share of that: −1 to 1.
func above(load, fair float64) float64 {
	if !(fair > 0) {
		return 0
	}
	return min(load/fair-1, 1)
}

// reasonOf says whether the first of the order holds as much of the prompt as anyone.
func (p *pool) reasonOf(d *Decision) Reason {
	most := int32(0)
	for i, depth := range p.depth {
		if p.class[i] == well && depth > most {
			most = depth
		}
	}
	switch mine := p.depth[d.Order[0]]; {
	case most == 0:
		return ByLoad
	case mine == most:
		return ByMatch
	}
	return Relieved
}
