// Package stats summarises measurements. Percentiles are by nearest rank: the value at rank ⌈p·n⌉ of n sorted values, so
// that each is a value that was measured (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996, definition 1).
package stats

import "slices"

// Dist summarises the distribution of a measure, in the unit of its values.
type Dist struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
}

// NewDist summarises values, which it does not change. Without values, all fields are 0.
func NewDist(values []float64) Dist {
	if len(values) == 0 {
		return Dist{}
	}
	sorted := slices.Sorted(slices.Values(values))
	sum := 0.0
	for _, v := range sorted { // sorted, so that the mean does not depend on the order of the values
		sum += v
	}
	rank := func(hundredths int) float64 { return sorted[(hundredths*len(sorted)+99)/100-1] }
	return Dist{Mean: sum / float64(len(sorted)), P50: rank(50), P95: rank(95), P99: rank(99)}
}
