package pool

// Returning is how much of prompts one endpoint alone holds: conversations that come back. What several endpoints hold is not
// counted, because it stays cached when memory is short. It is of the last seenPrompts prompts or so that a worker decided, and of
// those of the proxy's other workers, and of the gateways that share news: as each alone would see few, some would act as if conversations came back, and others not.
type Returning struct{ Found, All float64 } // tokens

// seenPrompts is of how many prompts it is, each weighing e^(−prompts since ÷ seenPrompts).
const seenPrompts = 1000

// MostReturning bounds what one worker's may be, in tokens.
const MostReturning = seenPrompts * mostTokens

// Plus is both.
func (r Returning) Plus(other Returning) Returning {
	return Returning{r.Found + other.Found, r.All + other.All}
}

type returning struct{ own, others Returning }

// Return counts f's prompt, of which an endpoint holds most blocks, and no other one more than second. It follows Prepare. A request that
// its server refuses is taken back: many that are refused at once would outweigh all that are computed.
func (p *Pool) Return(f *Flight, most, second int) {
	all := f.Uncached(second)
	f.returns = Returning{Found: all - f.Uncached(most), All: all}
	p.NoteReturning(f.returns.All, f.returns.Found)
}

// Unreturn takes back what Return has counted. A second call does nothing.
func (p *Pool) Unreturn(f *Flight) {
	r := &p.returning.own
	r.All = max(r.All-f.returns.All, 0)
	r.Found = min(max(r.Found-f.returns.Found, 0), r.All)
	f.returns = Returning{}
}

// NoteReturning counts a prompt: its tokens that no two endpoints hold, and those of them that one does.
func (p *Pool) NoteReturning(all, found float64) {
	r := &p.returning.own
	r.All += all - r.All/seenPrompts
	r.Found += found - r.Found/seenPrompts
}

// ReturningShare is the share found, 0 to 1.
func (p *Pool) ReturningShare() float64 {
	r := p.returning.own.Plus(p.returning.others)
	return r.Found / max(r.All, 1)
}

// OwnReturning is what this worker has counted.
func (p *Pool) OwnReturning() Returning { return p.returning.own }

// SetOthersReturning sets what other workers and gateways have.
func (p *Pool) SetOthersReturning(r Returning) { p.returning.others = r }
