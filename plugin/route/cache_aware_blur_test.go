package route

import (
	"math"
	"testing"
)

// What others have probably sent fills the cheapest endpoints to one level.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		tokens float64
		depth  int32
		want   float64
	}{
		{30, 0, 130},  // the cheapest alone
		{100, 0, 200}, // up to the next
		{200, 0, 250}, // and both: 150 and 50
		{1200, 0, 600},
		{100, 5, 300}, // those that hold less are none of these
	} {
		v := view{cost: []float64{300, 100, 200, 50, 900}, class: []class{well, well, well, over, over}, depth: []int32{5, 0, 5, 9, 0}, best: well}
		if got := v.level(c.tokens, c.depth); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v tokens, %d blocks: level %v, want %v", c.tokens, c.depth, got, c.want)
		}
	}
}
