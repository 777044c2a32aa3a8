package others

import "testing"

func TestAverage(t *testing.T) {
	for name, c := range map[string]struct {
		numbers    []float64
		lone, want float64
	}{
		"none":                         {nil, 0, 0},
		"one endpoint is believed":     {[]float64{1000}, 0, 1000},
		"alike":                        {[]float64{10, 20, 30}, 0, 20},
		"one as much as all others":    {[]float64{10, 20, 1000}, 0, 20},
		"and so many beyond them":      {[]float64{10, 20, 1000}, 60, 40},
		"alone it has those":           {[]float64{0, 0, 0, 1000}, 64, 16},
		"alone it has none":            {[]float64{0, 0, 0, 1000}, 0, 0},
		"two that show the same agree": {[]float64{1000, 1000, 0, 0}, 0, 500},
	} {
		var a Average
		for _, number := range c.numbers {
			a.Add(number)
		}
		if got := a.Mean(c.lone); got != c.want {
			t.Errorf("%s: %v of %v, want %v", name, got, c.numbers, c.want)
		}
	}
}
