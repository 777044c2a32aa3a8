package pool

// A cache holds the answers that its endpoint gave behind their prompts. Where the next prompt of a conversation repeats its answer, that
// much more of it is found there, and computed anew elsewhere: of models that reason, whose answers are longer than what is asked, most of
// the prompt. The index knows prompts alone, so that is learned from usage (docs/rule.md).

// learnRepeats takes a response that tells what was found of its prompt. What the server has cut off, or has not read as text, tells nothing.
func (p *Pool) learnRepeats(f *Flight, o *Outcome) {
	if p.Index == nil || p.ExternalIndex || !f.exact || f.atypical || f.media || f.Matched == 0 || !f.goesOn(f.Matched) {
		return
	}
	tokens := float64(o.PromptTokens) / f.Tokens // of each estimated one
	known := f.cached(f.Matched, 0)
	if added := tokens * (f.Tokens - known); added > 1 {
		p.repeats.Add(float64(o.CachedTokens)-float64(tokens*known), added)
	}
}
