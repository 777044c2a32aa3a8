package route

// often is how many prompts a minute that begin with what is computed take half of its price away. It is judged
// (docs/rule.md).
const often = 5

// toCompute is u: the prompt's tokens that an endpoint does not hold which holds that many blocks, less where the beginning that
// others hold is worth having there, too. requests is how many come in a minute.
func (v *view) toCompute(depth int32, requests float64, d *Decision) float64 {
	at := int(depth)
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
