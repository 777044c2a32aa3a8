package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// expectedTTFT takes the endpoint where the request adds least to the time that prompts wait for their first token, in
// seconds. For endpoint i, with q the prompt tokens queued there, u those of this prompt that its cache does not hold,
// and s the seconds that a token takes there, learned from its responses (pool.Pool.PerToken):
//
//	own     o + (q + u) × s   the time to this request's own first token; o is the overhead of every response
//	others  u × s × λ × B     what those behind it wait longer: λ requests a second arrive, for as long as the busy
//	                          period B = (q + u) × s ÷ (1 − ρ) lasts that it becomes part of (Kleinrock, Queueing
//	                          Systems, volume 1, section 5.8)
//	drift   w × s ÷ 50        w is the tokens sent to it in the last minute, which foretell its queue
//
// The sum is divided by the share of requests that succeed there: each failure is one try more. An endpoint in another zone costs
// cross_zone more.
//
// Without "others" each prompt is served soonest, but all together later, because prompts are computed twice where capacity
// is short. Without "drift" an idle pool has only matches to decide by, and the first block that all prompts share attracts
// every prompt to one endpoint. docs/notes.md has the figures.
//
// Endpoints at the bound of load come last: how long responses run, and what they delay, is not in the cost.
type expectedTTFT struct {
	view   *view
	config config.ExpectedTtft
}

func newExpectedTTFT(cfg *config.Config, r *Router, _ source) policy {
	return &expectedTTFT{view: &r.view, config: cfg.ExpectedTtft}
}

const (
	// drift is seconds for each second of prefill sent in the last minute.
	drift = 0.02

	// mostBusy keeps the busy period finite: at 95 % it is twenty times as long as the work in it.
	mostBusy = 0.95
)

func (p *expectedTTFT) pick(req *decision.Request, n int, d *decision.Decision) {
	p.view.affinity(req, d)
	requests, tokens := p.view.arrivals()
	for i := range p.view.cost {
		p.view.cost[i] = p.cost(i, req.Now, d.Uncached(int(p.view.depth[i]))+p.view.pool.LoadTokens(&d.Flight, i, req.Now), requests, tokens)
	}
	table := p.view.pool
	own := d.Tokens * table.PerToken(0)
	if home, likely := p.view.preferHome(req, d); home >= 0 {
		p.view.cost[home] -= likely * d.Uncached(int(p.view.depth[home])) * table.PerToken(0)
	}
	p.view.relieveBySpeed(p.config.Bound)
	p.view.leastFirst(nearTie*own+p.view.spread(d, req.Now)*table.PerToken(0), n, d)
	d.Reason = p.view.reasonOf(d)
	first := d.Order[0]
	d.Term("cost_s", p.view.cost[first])
	d.Term("queued_tokens", p.view.pool.Queue(first, req.Now))
	d.Term("uncached_tokens", d.Uncached(int(p.view.depth[first])))
	d.Term("tokens_per_s", 1/table.PerToken(first))
	p.view.loadTerm(first, req.Now, d)
}

// cost is seconds; requests and tokens arrive at all endpoints in a second.
func (p *expectedTTFT) cost(i int, now int64, uncached, requests, tokens float64) float64 {
	table, fair := p.view.pool, p.view.fair(i)
	perToken := table.PerToken(i)
	own := uncached * perToken
	busy := p.view.pool.Queue(i, now)*perToken + own
	others := own * requests * fair * busy / (1 - min(tokens*fair*perToken, mostBusy))
	given := p.view.given[i] / (fair * float64(p.view.shares.size))
	return (table.Overhead(i)+busy+others+drift*given*perToken)/(1-table.Health.Failing(i, now)) + table.CrossZone(i)
}
