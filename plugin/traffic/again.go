package traffic

import "warmroute/plugin/recent"

// Again is how much of what endpoints have computed lately they computed only because they had evicted it. A cache that is full evicts as much as
// is computed for it, so that of what it evicts as large a part is asked for again.
type Again struct {
	again, computed float64 // prompt tokens, each weighing e^(−age ÷ recent.Span)
	at              int64   // ns: when a response was last counted
}

// fewAgain is how many prompts count that compute nothing again, before all that are seen. It is judged.
const fewAgain = 4

// Add takes a response for which so many tokens of its prompt were computed, and so many of these again.
func (a *Again) Add(again, computed float64, now int64) {
	faded := recent.Since(a.at, now, recent.Span)
	a.again, a.computed, a.at = float64(a.again*faded)+min(again, computed), float64(a.computed*faded)+computed, now
}

// Share is that part, 0 to 1; typical is the tokens of a typical prompt.
func (a *Again) Share(typical float64) float64 {
	return a.again / (a.computed + float64(fewAgain*typical) + 1)
}
