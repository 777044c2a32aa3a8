package bytestr

import (
	"math"
	"testing"
)

func TestFloat16(t *testing.T) {
	for x := 0.0; x < 1e12; x = x*1.37 + 1 {
		got := Float16(AppendFloat16(nil, x))
		if off := math.Abs(got - math.Floor(x)); off > x/1024 || x < 2048 && off != 0 {
			t.Errorf("%v reads as %v", x, got)
		}
	}
	for x, want := range map[float64]float64{-5: 0, math.NaN(): 0, math.Inf(1): 2047 << 31, 1e300: 2047 << 31} {
		if got := Float16(AppendFloat16(nil, x)); got != want {
			t.Errorf("%v reads as %v, want %v", x, got, want)
		}
	}
}
