package pool

import "math"

// fade is e^(−x) for x ≥ 0, to eight digits, else 1. math.Exp is assembly on some machines and Go on others, and their
// last bits differ; with this function simulator and module decide alike to the last bit.
func fade(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	if x > 700 {
		return 0
	}
	halvings := math.Floor(x / math.Ln2)
	r := -(x - float64(halvings*math.Ln2)) // −ln 2 < r ≤ 0; the conversion forbids a fused multiply-add
	sum, term := 1.0, 1.0
	for n := 1.0; n <= 11; n++ {
		term *= r / n
		sum += term
	}
	return sum * math.Float64frombits(uint64(1023-int(halvings))<<52) // 2^−halvings: at most 1,010 of them
}
