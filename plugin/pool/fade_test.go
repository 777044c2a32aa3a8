package pool

import (
	"math"
	"testing"
)

func TestFade(t *testing.T) {
	for x := 0.0; x < 100; x += 0.0137 {
		if got, want := fade(x), math.Exp(-x); math.Abs(got-want) > 1e-8*want {
			t.Fatalf("fade(%v) = %v, want %v", x, got, want)
		}
	}
	if fade(-1) != 1 || fade(math.NaN()) != 1 || fade(1e9) != 0 {
		t.Errorf("fade(−1) = %v, fade(NaN) = %v, fade(1e9) = %v; want 1, 1, 0", fade(-1), fade(math.NaN()), fade(1e9))
	}
}
