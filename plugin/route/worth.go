package route

// often is how many prompts a minute that begin with what is computed take half of its price away. It is judged
// (docs/league.md).
const often = 5

// toCompute is u: the prompt's tokens that endpoint i does not hold, less where the beginning that others hold is worth having
// there, too. requests is how many come in a minute.
func (v *view) toCompute(i int, requests float64, d *Decision) float64 {
	at := int(v.depth[i])
	tokens := d.Uncached(at)
	for k := range v.held {
		h := &v.held[k]
		if int(h.Blocks) <= at {
			break
		}
		below := at
		if k+1 < len(v.held) {
			below = max(at, int(v.held[k+1].Blocks))
		}
		again := h.Share * requests / float64(h.Holders+1) / often
		tokens -= (d.Uncached(below) - d.Uncached(int(h.Blocks))) * (1 - 1/(1+float64(again*again)))
	}
	return tokens
}
