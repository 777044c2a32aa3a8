package pool

import "warmroute/plugin/prompt"

// Settled says whether the rest of a prompt cannot change how much of it each endpoint holds: the part that has come is
// already longer than what any endpoint holds. The flight is overwritten.
func (p *Pool) Settled(f *Flight, of *prompt.Prompt, tenant []byte) bool {
	if p.Index == nil {
		return false
	}
	f.Reset()
	f.Seed = p.names.seed(of, tenant)
	p.chain(f, of)
	for _, depth := range p.match(f) {
		if int(depth) == f.Total {
			return false
		}
	}
	return true
}

// Extend takes the whole prompt of a request for which Begin knew only its beginning: the endpoint computes, and then
// holds, all of it. It reports whether the chain has grown.
func (p *Pool) Extend(f *Flight, of *prompt.Prompt, now int64) (longer bool) {
	p.Resume(f, now)
	if f.phase == decided || f.phase == ended || of.Size() < f.bytes {
		return false
	}
	p.extendStream(f, shows(of), now)
	f.bytes, f.exact, f.late = of.Size(), !of.Truncated, max(now-f.begun, 0)
	f.whole = float64(f.bytes)
	f.note(of)
	before := f.Tokens
	f.Tokens = float64(f.bytes) / f.perToken
	cut := f.truncate(of)
	f.fresh = max(f.fresh+f.Tokens-before, 0)
	if cut {
		p.lose(f, 0)
		f.Chain.Reset()
		f.Total, f.Matched = 0, 0
	} else if p.Index != nil {
		blocks, all := f.Total, f.Matched == f.Total
		p.chain(f, of)
		longer = f.Total > blocks
		p.returnMore(f, blocks)
		if longer && all && int(p.Match(f)[f.endpoint]) > blocks {
			p.Expect(f, f.endpoint)
		}
		if longer {
			f.refused = f.refused || p.refuses(f)
			p.enter(f, now)
		}
	}
	more := f.Uncached(f.Matched) - f.uncached
	f.uncached += more
	p.correctWork(f, now, more)
	p.read(f)
	p.touch(f.endpoint)
	switch e := &p.ends[f.endpoint]; {
	case !p.same(f):
	case !f.streams:
		deeper := p.deeper(f) - f.deeper
		f.deeper += deeper
		p.moreUnseen(f.endpoint, now, more, deeper)
		f.place = f.place.More(more, deeper)
	case f.phase == waiting:
		e.queue.Grow(more)
	}
	p.noteSent(f, now)
	return longer
}

// shows says whether the response's first token shows when the prompt is computed. That of a prompt with media that its server fetches comes
// when the client's own server has given them: with three such requests under way, three of four endpoints would seem to be late, and all
// others' go to the fourth. So does that of an answer with a grammar, which servers compile first.
func shows(of *prompt.Prompt) bool { return of.Stream && !of.Fetched && !of.Grammar }

// extendStream records whether the first token will show when its tokens are computed: clients often write "stream" after the prompt, and
// media may come late, too.
func (p *Pool) extendStream(f *Flight, shows bool, now int64) {
	if f.streams == shows || f.phase != waiting {
		return
	}
	if shows {
		if p.same(f) {
			p.finishUnseen(f, now, false)
			p.queueStream(f.endpoint, now, f.uncached)
			p.findMemory(f)
		}
		f.streams, f.deeper = true, 0
		return
	}
	p.withdraw(f, now)
	p.leaveMemory(f)
	f.streams = false
	if p.same(f) {
		p.moreUnseen(f.endpoint, now, f.uncached, 0)
		f.place = p.ends[f.endpoint].queue.Sent()
	}
}
