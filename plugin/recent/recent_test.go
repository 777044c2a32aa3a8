package recent

import (
	"math"
	"testing"
)

func TestWeight(t *testing.T) {
	for x := 0.0; x < 100; x += 0.0137 {
		if got, want := Weight(x), math.Exp(-x); math.Abs(got-want) > 1e-8*want {
			t.Fatalf("Weight(%v) = %v, want %v", x, got, want)
		}
	}
	if Weight(-1) != 1 || Weight(math.NaN()) != 1 || Weight(1e9) != 0 {
		t.Errorf("Weight(−1) = %v, Weight(NaN) = %v, Weight(1e9) = %v; want 1, 1, 0", Weight(-1), Weight(math.NaN()), Weight(1e9))
	}
}
