package verdict

import (
	"math"
	"testing"
)

func TestConfidence(t *testing.T) {
	// R: t.test(c(1, 2, 3, 4, 5)): 1.036757 to 4.963243.
	got := Confidence([]float64{1, 2, 3, 4, 5})
	if math.Abs(got.Mean-3) > 1e-9 || math.Abs(got.Low-1.0366) > 1e-3 || math.Abs(got.High-4.9634) > 1e-3 {
		t.Errorf("%+v", got)
	}
	if one := Confidence([]float64{7}); one != (Interval{7, 7, 7}) {
		t.Errorf("of one value: %+v", one)
	}
}
