package pool

import "warmroute/plugin/traffic"

// Return counts f's prompt, of which an endpoint holds most blocks, and no other one more than second. It follows Prepare. A request that
// its server refuses, or whose client hangs up before it can be computed, is taken back: many of them would outweigh all that are computed.
// since is when, in ns, what counts as lost was used at the earliest, if no endpoint holds it.
func (p *Pool) Return(f *Flight, most, second int, since int64) {
	all, seen := f.Uncached(second), p.Index.Seen(f.Chain.Hash)
	f.returns = traffic.Returning{Found: all - f.Uncached(most), All: all}
	f.seen = all - f.Uncached(max(seen, most))
	f.since = millis(since)
	f.lately = max(p.Index.SeenSince(f.Chain.Hash[:seen], f.since), most)
	f.fresh, f.held = max(f.Tokens-f.cachedOfPrompts(f.lately), 1), most
	p.Returns.Note(f.returns, f.seen)
}

// returnMore counts what was computed before of a prompt of which only so many blocks had come when Return counted it, and is lost: what
// no endpoint holds. One holds more than had come where the decision was due by then, or a prompt like it came meanwhile. It precedes the
// entry of the others.
func (p *Pool) returnMore(f *Flight, blocks int) {
	seen := p.Index.Seen(f.Chain.Hash)
	if seen <= blocks || f.returns.All == 0 { // without All, Return was not called
		return
	}
	if lately := p.Index.SeenSince(f.Chain.Hash[:seen], f.since); lately > blocks { // those that had come are entered by now
		f.lately = lately
	}
	f.fresh = max(f.Tokens-f.cachedOfPrompts(f.lately), 1)
	for _, held := range p.Match(f) {
		blocks = max(blocks, int(held))
	}
	f.held = blocks
	more := max(f.Uncached(blocks)-f.Uncached(seen), 0)
	f.seen += more
	p.Returns.NoteSeen(more)
}

// Unreturn takes back what Return has counted. A second call does nothing.
func (p *Pool) Unreturn(f *Flight) {
	p.Returns.Undo(f.returns, f.seen)
	f.returns, f.seen = traffic.Returning{}, 0
}

// noteLost counts f's response. Of its prompt, what had been computed lately is known from when it was decided (Return); and what was
// computed for it from its usage, or else, also where that says nothing of the cache, from what its endpoint was believed to hold.
func (p *Pool) noteLost(f *Flight, now int64, o *Outcome) {
	computed, again := f.uncached, f.uncached-f.fresh
	if o.Usage && o.PromptTokens > 0 && !f.atypical && !f.fetched {
		computed = float64(max(o.PromptTokens-o.CachedTokens, 0))
		again = computed - f.fresh/max(f.Tokens, 1)*float64(o.PromptTokens)
		if grain := p.ends[f.endpoint].cache.grain; grain < maxGrain { // it is known: a block that is not full is not kept
			again -= float64(grain)
		}
	}
	lost := max(again-max(f.Uncached(f.Matched)-f.Uncached(f.held), 0), 0) // another one holds the rest: it is a copy
	evicted := lost
	if f.evicted {
		evicted = max(again, 0)
	}
	p.Again.Add(evicted, computed, now)
	took := float64(o.whole(now) - f.begun)
	if f.first != 0 {
		took = float64(f.first - f.begun)
	}
	p.Lost.Note(f.endpoint, min(lost*p.PerToken(f.endpoint), max(took, 0)/1e9), now)
}
