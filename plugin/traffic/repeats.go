package traffic

import (
	"math"

	"warmroute/plugin/speed"
)

// Repeats are how much of what a turn adds to its conversation was in the cache of the endpoint that had the turn before: its answer, where
// the prompt repeats it. Templates that drop what was reasoned leave nothing of it to be found. Of the last hundred responses or so.
type Repeats struct{ responses, found, added, foundSquares, products, addedSquares float64 } // sums of tokens, that fade

// Add counts a response to a prompt that had so many tokens behind the turn before, above 0, of which so many more were found than of that
// turn alone. Below 0 they are fewer, by what both are uncertain. Where more is added than most, above 0, it counts as so much, and of what
// was found as large a part: else a single document that somebody pastes would be most of all turns.
func (r *Repeats) Add(found, added, most float64) {
	found = min(max(found, -added), added)
	if added > most {
		found, added = found*most/added, most
	}
	r.responses = float64(r.responses*speed.Keep) + 1
	r.found, r.added = float64(r.found*speed.Keep)+found, float64(r.added*speed.Keep)+added
	r.foundSquares = float64(r.foundSquares*speed.Keep) + float64(found*found)
	r.products = float64(r.products*speed.Keep) + float64(found*added)
	r.addedSquares = float64(r.addedSquares*speed.Keep) + float64(added*added)
}

// Share is the share of what a turn adds that is likely to be found, 0 to 1: the mean by tokens, less one standard error of such a ratio
// (Cochran, Sampling Techniques, section 2.11). 0 before two responses have shown it.
func (r *Repeats) Share() float64 {
	if r.responses < 1.5 { // two count nearly two
		return 0
	}
	share := r.found / r.added
	scatter := r.foundSquares - float64(2*share*r.products) + float64(share*share*r.addedSquares)
	err := math.Sqrt(max(scatter, 0)*r.responses/(r.responses-1)) / r.added
	return min(max(share-err, 0), 1)
}
