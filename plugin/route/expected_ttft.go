package route

import "warmroute/plugin/config"

// expectedTTFT takes the endpoint where the request adds least to the time that prompts wait for their first token, in
// seconds. For endpoint i, with q the prompt tokens queued there, u those of this prompt that its cache does not hold,
// and s the seconds a token takes there, as its answers have shown (load.Table.PerToken):
//
//	own     o + (q + u) × s   the time to this request's own first token; o is what every answer takes
//	others  u × s × λ × B     what those behind it wait longer: λ requests a second arrive, for as long as the busy
//	                          period B = (q + u) × s ÷ (1 − ρ) lasts that it becomes part of (Kleinrock, Queueing
//	                          Systems, volume 1, section 5.8)
//	drift   w × s ÷ 50        w is the tokens given to it in the last minute: of the queues to come, q says nothing yet
//
// The sum is divided by the share of requests that succeed there: each failure is one try more.
//
// Without "others" each prompt is served soonest, and all together later, because what is computed twice is missing
// where capacity is short. Measured by the replay test, mooncake conversations spread evenly over 8 replicas × 3,000
// blocks at 5,000 tokens a second: mean wait 2.6 s and token hit ratio .25 without, 2.4 s and .29 with it.
// Without "drift" an idle pool has nothing to go by but matches, and the first block that all prompts share draws
// everything to one endpoint (hit ratio .07, imbalance 8); from 1 ÷ 100 to 1 ÷ 20 hit ratios differ by up to .007.
//
// Those at the bound are not for taking: how long answers take, and what they keep from others, is in none of this.
type expectedTTFT struct {
	pool  *pool
	bound config.Bound
}

const (
	// drift is seconds for each second of prefill given in the last minute.
	drift = 0.02

	// mostBusy keeps the busy period finite: at 95 % it is twenty times as long as the work in it.
	mostBusy = 0.95
)

func (p *expectedTTFT) pick(req *Request, n int, d *Decision) {
	p.pool.affinity(req, d)
	requests, tokens := p.pool.arrivals(req.Now)
	for i := range p.pool.cost {
		p.pool.cost[i] = p.cost(i, req.Now, p.pool.uncached(i, d), requests, tokens)
	}
	table := p.pool.load
	tie := p.pool.nearTie(d) * d.promptTokens * table.PerToken(0) // who is at the bound holds what all share, too
	p.pool.relieve(p.bound)
	p.pool.leastFirst(tie, n, d)
	d.Reason = p.pool.reasonOf(d)
	first := d.Order[0]
	d.term("cost_s", p.pool.cost[first])
	d.term("queued_tokens", p.pool.queue(first, req.Now))
	d.term("uncached_tokens", p.pool.uncached(first, d))
	d.term("tokens_per_s", 1/table.PerToken(first))
}

// cost is seconds; requests and tokens arrive at all endpoints in a second.
func (p *expectedTTFT) cost(i int, now int64, uncached, requests, tokens float64) float64 {
	table, fair := p.pool.load, p.pool.fair(i)
	perToken := table.PerToken(i)
	own := uncached * perToken
	busy := p.pool.queue(i, now)*perToken + own
	others := own * requests * fair * busy / (1 - min(tokens*fair*perToken, mostBusy))
	given := p.pool.given[i] / (fair * float64(p.pool.shares.size))
	return (table.Overhead(i) + busy + others + drift*given*perToken) / (1 - table.Failing(i, now))
}

// uncached is the number of the prompt's tokens that endpoint i would have to compute; the last one always is.
func (p *pool) uncached(i int, d *Decision) float64 {
	return max(d.promptTokens-d.held(int(p.depth[i])), 1)
}

// arrivals is the requests and the prompt tokens to compute that came to all endpoints lately, a second.
func (p *pool) arrivals(now int64) (requests, tokens float64) {
	for i := range p.given {
		r, given := p.load.Work(i, now)
		given += p.told.work[i]
		p.given[i] = given
		requests, tokens = requests+r, tokens+given
	}
	requests += p.told.requests
	return requests / workSeconds, tokens / workSeconds
}
