package route

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
	"warmroute/plugin/recent"
)

// Conversations that have grown at one endpoint may want more memory than it has, while others are idle. Then each turn waits until
// another's requests have ended, and computes again what they evicted. To move one costs its whole prompt once; no single turn is
// worth that, so by its own cost each would stay, and lose a part of it for ever. Whether to rent or to buy without knowing for how
// long (Karlin, Manasse, Rudolph, Sleator, "Competitive Snoopy Caching", Algorithmica 3, 1988): whoever buys once the rents paid come
// to the price pays at most twice what the best in hindsight would have. All conversations of an endpoint gain if one leaves, so what
// all have lost there lately counts (pool.Pool.Thrash), as far as one that leaves ends it (relief); and the price is then taken off it,
// so that they leave one by one.

// relief is how much of what is lost at an endpoint ends when a conversation leaves that is so large a part of its cache, ÷ that part.
// Where many small ones share a cache, one that leaves mends nothing. More than 1, since of a little more than it holds an LRU keeps
// little. It is judged (docs/rule.md).
const relief = 2

// stay is a request where one endpoint alone holds most of its prompt.
type stay struct {
	home  int     // that endpoint; −1: there is none, or the request loses nothing there
	lost  float64 // tokens, as they cost
	fresh float64 // tokens that no endpoint has computed
}

// leave is called where one endpoint alone holds most of the prompt, most blocks. If the request loses something there for want of
// memory, it lowers the costs elsewhere: by what was lost there lately beyond what was lost at the other endpoint, but at most by what
// computing again costs. An e below 0, by which new prompts are spread, does not make leaving cheaper.
//
// All workers and gateways tell each other what they lost, and what was paid by those that left: by its own part alone each of many would
// let one leave long after it should. Until they are told of one that has left, which takes a second, they would let others leave for the
// same losses. So of the requests that come to the endpoint meanwhile elsewhere about one may, by the prompt's hash.
func (p *cacheAware) leave(most int32, d *decision.Decision, now int64) stay {
	v := p.view
	s := stay{home: -1, fresh: d.Uncached(v.pool.Index.Seen(d.Chain.Hash))}
	home := 0
	for v.depth[home] < most || v.class[home] != v.best {
		if home++; home == len(v.depth) {
			return s
		}
	}
	wait := v.memoryWait(home, max(d.Tokens, 1), v.pool.Usual(), v.pool.Stays.MeanTokens(), d, now) - v.all[home].Queue
	if s.lost = p.price(home, &s) + max(wait, 0); s.lost == 0 {
		return s
	}
	s.home = home
	_, lost := v.pool.Thrash(home, now)
	capacity, known := v.pool.Index.Capacity(home)
	elsewhere := v.pool.OtherRequests() * pool.SpeedsEvery / recent.Span / float64(max(v.shares.size, 1))
	if lost == 0 || !known || elsewhere*float64(d.Chain.Hash[d.Total-1]>>32) > 1<<32 {
		return s
	}
	part := min(relief*float64(d.Bytes())/float64(max(capacity, 1)), 1)
	for i := range v.cost {
		if i != home && v.class[i] == v.best {
			price, cost := p.price(i, &s), p.again(i, &s)*p.each[i]
			there, _ := v.pool.Thrash(i, now)
			v.cost[i] -= min(cost, max((lost-there)*part-(price-cost), 0))
		}
	}
	return s
}

// again is the tokens of the prompt that were computed before and would be once more at endpoint i.
func (p *cacheAware) again(i int, s *stay) float64 { return max(p.tokens[i]-s.fresh, 0) }

// price is what it costs to compute those.
func (p *cacheAware) price(i int, s *stay) float64 { return p.again(i, s) * max(p.each[i], p.least) }

// settle records that the request is at endpoint first: what it loses there, or what it has left for.
func (p *cacheAware) settle(s *stay, first int, now int64) {
	switch {
	case s.home < 0:
	case first == s.home:
		p.view.pool.NoteThrash(first, s.lost, now)
	default:
		p.view.pool.NoteThrash(s.home, -p.price(first, s), now)
	}
}
