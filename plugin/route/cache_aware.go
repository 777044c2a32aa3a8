package route

import "warmroute/plugin/config"

// cacheAware takes the highest weighted score of the matched share of the prompt and of load: the tokens given to an
// endpoint lately, and the requests there now, each against its fair share. Nothing in it is a time; the weights say
// what a share of load is worth in shares of the prompt.
type cacheAware struct {
	pool    *pool
	weights config.CacheAware
}

func (p *cacheAware) pick(req *Request, n int, d *Decision) {
	p.pool.affinity(req, d)
	_, total := p.pool.arrivals(req.Now)
	for i := range p.pool.cost {
		match := 0.0
		if d.Total > 0 {
			match = float64(p.pool.depth[i]) / float64(d.Total)
		}
		work := 0.0
		if total > 0 {
			work = p.pool.given[i]/(total*workSeconds*p.pool.fair(i)) - 1
		}
		busy := float64(p.pool.load.InFlight(i)) / (float64(p.pool.load.Total()+1) * p.pool.fair(i))
		p.pool.cost[i] = p.weights.LoadWeight*work + p.weights.BusyWeight*min(busy, 2)/2 - p.weights.MatchWeight*match
	}
	p.pool.leastFirst(0.01, n, d)
	d.Reason = p.pool.reasonOf(d)
	d.term("score", -p.pool.cost[d.Order[0]])
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
