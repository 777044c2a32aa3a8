package logexp

import (
	"math"
	"testing"
)

func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-15*math.Abs(want)
}

func TestLog(t *testing.T) {
	for x := 1e-300; x < 1e300; x *= 1.0371 {
		if got, want := Log(x), math.Log(x); !near(got, want) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	for x := 0.5; x < 2; x += 0.000917 {
		if got, want := Log(x), math.Log(x); !near(got, want) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, 1, math.Inf(1)} {
		if got, want := Log(x), math.Log(x); got != want {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(Log(-1)) || !math.IsNaN(Log(math.NaN())) {
		t.Errorf("Log(−1) = %v, Log(NaN) = %v, want NaN", Log(-1), Log(math.NaN()))
	}
}

func TestExp(t *testing.T) {
	for x := -700.0; x <= 700; x += 0.0137 {
		if got, want := Exp(x), math.Exp(x); !near(got, want) {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if Exp(0) != 1 || Exp(701) != math.Inf(1) || Exp(-701) != 0 || !math.IsNaN(Exp(math.NaN())) {
		t.Errorf("Exp of 0, 701, −701, NaN: %v, %v, %v, %v", Exp(0), Exp(701), Exp(-701), Exp(math.NaN()))
	}
}
