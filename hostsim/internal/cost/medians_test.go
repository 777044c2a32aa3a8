package cost

import "testing"

// Of an even number of rounds the median is between the two in the middle, not the larger of them.
func TestMedians(t *testing.T) {
	base, of := make([]Sample, 4), []Sample{{P50: 10}, {P50: 40}, {P50: 20}, {P50: 26}}
	for i := range of {
		of[i].Seconds = 1
	}
	if got := medians(base, of); got.P50 != 23 || got.Added != 23 {
		t.Errorf("P50 %v, added %v; want 23 of four rounds", got.P50, got.Added)
	}
	if got := medians(base[:3], of[:3]); got.P50 != 20 {
		t.Errorf("P50 %v; want 20 of three rounds", got.P50)
	}
}
