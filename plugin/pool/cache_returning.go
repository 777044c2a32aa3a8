package pool

// Returning is how much of prompts one endpoint alone holds: conversations that come back. What several endpoints hold is not
// counted, because it stays cached when memory is short. It is of the last seenPrompts prompts or so that a worker decided, and of
// those of the proxy's other workers, and of the gateways that share news: as each alone would see few, some would act as if conversations came back, and others not.
type Returning struct{ Found, All float64 } // tokens

// seenPrompts is of how many prompts it is, each weighing e^(−prompts since ÷ seenPrompts).
const seenPrompts = 1000

// Plus is both.
func (r Returning) Plus(other Returning) Returning {
	return Returning{r.Found + other.Found, r.All + other.All}
}

type returning struct {
	own, others Returning
	seen        float64 // of own.All: tokens that were computed before, whether or not they are held
}

// Return counts f's prompt, of which an endpoint holds most blocks, and no other one more than second. It follows Prepare. A request that
// its server refuses, or whose client hangs up before it can be computed, is taken back: many of them would outweigh all that are computed.
// since is when, in ns, what counts as lost was used at the earliest, if no endpoint holds it.
func (p *Pool) Return(f *Flight, most, second int, since int64) {
	all, seen := f.Uncached(second), p.Index.Seen(f.Chain.Hash)
	f.returns = Returning{Found: all - f.Uncached(most), All: all}
	f.seen = all - f.Uncached(max(seen, most))
	f.since = millis(since)
	f.lately = max(p.Index.SeenSince(f.Chain.Hash[:seen], f.since), most)
	f.fresh, f.held = f.Uncached(f.lately), most
	p.NoteReturning(f.returns, f.seen)
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
	p.returning.seen += more
}

// Unreturn takes back what Return has counted. A second call does nothing.
func (p *Pool) Unreturn(f *Flight) {
	r := &p.returning.own
	r.All = max(r.All-f.returns.All, 0)
	r.Found = min(max(r.Found-f.returns.Found, 0), r.All)
	p.returning.seen = max(p.returning.seen-f.seen, r.Found)
	f.returns, f.seen = Returning{}, 0
}

// NoteReturning counts a prompt: its tokens that no two endpoints hold, those of them that one does, and those that were computed before.
func (p *Pool) NoteReturning(prompt Returning, seen float64) {
	r := &p.returning.own
	r.All += prompt.All - r.All/seenPrompts
	r.Found += prompt.Found - r.Found/seenPrompts
	p.returning.seen += seen - p.returning.seen/seenPrompts
}

// ReturningShare is the share found, 0 to 1.
func (p *Pool) ReturningShare() float64 {
	r := p.returning.own.Plus(p.returning.others)
	return r.Found / max(r.All, 1)
}

// KeptShare is how much of what this worker saw come back an endpoint still held, 0 to 1; 1 while nothing has come back. The index
// forgets what came longest ago, so it may be too high.
func (p *Pool) KeptShare() float64 {
	if p.returning.seen == 0 {
		return 1
	}
	return p.returning.own.Found / p.returning.seen
}
