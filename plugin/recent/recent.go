// Package recent weighs what has happened by its age: each event counts e^(−age ÷ span), so that a sum of them is kept as one number and
// the time it is of.
package recent

import "math"

// Span is that of recent work, in nanoseconds: a minute, long against one prompt and short against a change of traffic.
const Span = 60e9

// Since is what is left at now of what was whole at a time before, 0 to 1. 1 if the clock was set back meanwhile. All are nanoseconds.
func Since(at, now int64, span float64) float64 { return Weight(float64(now-at) / span) }

// Weight is e^(−age) for an age ≥ 0, to eight digits, else 1. math.Exp is assembly on some machines and Go on others, and their
// last bits differ; with this function simulator and module decide alike to the last bit.
func Weight(age float64) float64 {
	if !(age > 0) {
		return 1
	}
	if age > 700 {
		return 0
	}
	halvings := math.Floor(age / math.Ln2)
	r := -(age - float64(halvings*math.Ln2)) // −ln 2 < r ≤ 0; the conversion forbids a fused multiply-add
	sum, term := 1.0, 1.0
	for n := 1.0; n <= 11; n++ {
		term *= r / n
		sum += term
	}
	return sum * math.Float64frombits(uint64(1023-int(halvings))<<52) // 2^−halvings: at most 1,010 of them
}
