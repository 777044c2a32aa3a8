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
	f.fresh, f.held = f.Uncached(f.lately), most
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
	f.fresh = f.Uncached(f.lately)
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
