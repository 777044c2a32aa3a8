package pool

// A cache holds the answers that its endpoint gave behind their prompts. Where the next prompt of a conversation repeats its answer, that
// much more of it is found there, and computed anew elsewhere: of models that reason, whose answers are longer than what is asked, most of
// the prompt. The index knows prompts alone, so that is learned from usage (docs/rule.md).

// longestRepeat is how many times as long as the mean answer what a prompt repeats may be.
const longestRepeat = 8

// longAnswer is what a prompt may repeat at most, in tokens. What else a turn adds, a document, say, is found nowhere.
func (p *Pool) longAnswer() float64 { return longestRepeat * p.Answers.Mean() }

// learnRepeats takes a response that tells what was found of its prompt. What the server has cut off, or has not read as text, tells nothing,
// nor does a prompt that is no longer than the turn before, or of which the cache has lost some.
func (p *Pool) learnRepeats(f *Flight, o *Outcome) {
	if p.Index == nil || p.ExternalIndex || !f.exact || f.atypical || f.media || !f.hadLastTurn(f.Matched) || f.Matched == f.Total {
		return
	}
	each := float64(o.PromptTokens) / f.Tokens // of each estimated token
	sent := f.ofPrompts(f.Matched)
	found := float64(o.CachedTokens) + f.grain/2 - float64(each*sent) // of the last block half is filled
	if found < -float64(p.slack(f, o.CachedTokens))/f.perToken {
		return
	}
	if added := each * (f.Tokens - sent); added > 1 {
		p.repeats.Add(found, added, p.longAnswer())
	}
}
