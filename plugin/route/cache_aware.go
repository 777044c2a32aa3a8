package route

import "warmroute/plugin/config"

// cacheAware takes the endpoint where the request costs all users least, in prompt tokens that somebody waits for. For
// endpoint i, with q the prompt tokens queued there, u those of this prompt that its cache does not hold, n the requests
// there and W the mean number of prompts that wait at an endpoint:
//
//	cost = q + κ·u·(1 + W + n÷16 + e)
//
//	q    this request waits for those before it
//	1    and for its own tokens
//	W    what is computed here delays those that come behind it; where the pool is loaded, as many as wait now. So a prompt
//	     stays with what is held of it the more, the longer the queues are: capacity is what is short then
//	n÷16 the answers under way there stall while it is computed, n of them, each by one token of many
//	e    u tokens drive u others out, which are asked for again the likelier, the younger they are. A cache that is given
//	     much turns over fast: e is how far the tokens lately given to it are above its share of all, −1 to 1. Where nothing
//	     else differs this evens out who gets new prompts, and all memory ages alike
//
// Within a thousandth of the prompt costs are equal, and the ring decides. κ is 1; the trade-off study sweeps it.
//
// Where memory is short this is not the question: see crammed.
//
// Those at the bound of load are not for taking. Ablations, with the commands that print them, are in docs/league.md.
type cacheAware struct {
	pool    *pool
	weights config.CacheAware
}

const (
	// stalled is what a running answer's stall counts against a late first token. It is judged, not derived: with a quarter
	// prompts that nothing shares wait 139 ms and not 132, with none a hot prompt's long answers 67 ms and not 60.
	stalled = 1. / 16

	// strangersShare of a prompt is what the ring's own endpoint is preferred by where other gateways, of which this one
	// knows nothing, may know the prompt: they look there, too.
	strangersShare = 1
)

func (p *cacheAware) pick(req *Request, n int, d *Decision) {
	pool := p.pool
	pool.affinity(req, d)
	_, total := pool.arrivals(req.Now)
	waiting := pool.waiting(req.Now)
	prompt := max(d.promptTokens, 1)
	for i := range pool.cost {
		turnover := min(above(pool.given[i], total*workSeconds*pool.fair(i), prompt), 1)
		each := 1 + waiting + stalled*pool.requests[i] + turnover
		pool.cost[i] = pool.queue(i, req.Now) + p.weights.MatchWeight*pool.uncached(i, d)*each
	}
	crammed := pool.crammed(req.Now)
	pool.relieve(p.weights.Bound)
	if crammed {
		pool.onRing(d.Key, n, d)
		return
	}
	pool.preferHome(strangersShare*pool.strangers(d)*prompt, d)
	pool.leastFirst(nearTie*prompt, n, d)
	d.Reason = pool.reasonOf(d)
	first := d.Order[0]
	d.term("cost_tokens", pool.cost[first])
	d.term("queued_tokens", pool.queue(first, req.Now))
	d.term("uncached_tokens", pool.uncached(first, d))
}

// waiting is the mean number of prompts that wait at an endpoint of those that bear the load.
func (p *pool) waiting(now int64) float64 {
	sum := 0.0
	for i, c := range p.class {
		if c == p.best {
			sum += p.load.Waiting(i, now)
		}
	}
	return sum / float64(max(p.shares.size, 1))
}

// full is the share of the pool's KV memory from which it counts as short: what is left is as much as comes and goes.
const full = 0.9

// crammed says whether what is live, the KV of running requests and the prompts queued, fills the memory of those who bear
// the load, as far as their metrics tell. Then what a conversation leaves behind is driven out before its next turn comes
// wherever load is even, and evenness is what hurts: of caches that are asked for a little more than they hold LRU keeps
// nothing, of those that are asked for a little less, everything. The ring places conversations unevenly, within the bound,
// and keeps each where it is; so some replicas keep all of theirs. (2 × L4, 80 threads, 18.5 requests a second and not 10.5.)
func (p *pool) crammed(now int64) bool {
	live, room := 0.0, 0.0
	for i, c := range p.class {
		if c == p.best {
			said := p.caches.said[i]
			live += p.load.KVUsage(i, now)*said + p.queue(i, now)
			room += said
		}
	}
	return room > 0 && live >= full*room
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
