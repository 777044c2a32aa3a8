package study

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/verdict"
)

// Where the gain is worth having is said of the values where it is, also where others are between them.
func TestFactorFinding(t *testing.T) {
	for _, c := range []struct {
		gains []float64
		want  string
	}{
		{[]float64{0, 0.1, 0.2, 0.3}, "from 2 on."},
		{[]float64{0.3, 0.2, 0.1, 0}, "up to 3."},
		{[]float64{0, 0.2, 0.1, 0}, "between 2 and 3."},
		{[]float64{0.1, 0.2, 0.1, 0.1}, "at every value."},
		{[]float64{0, 0, 0, 0}, "below 5 % at every value."},
		{[]float64{0, 0.1, 0, 0}, "at 2."},
		{[]float64{0, 0.1, 0, 0.3}, "at 2 and 4."},
		{[]float64{0.2, 0, 0.1, 0.1}, "at 1, 3 and 4."},
	} {
		var of []WorkloadPoint
		for i, gain := range c.gains {
			of = append(of, WorkloadPoint{Value: float64(i + 1), Gain: verdict.Interval{Mean: gain, Low: gain, High: gain}})
		}
		if got := (&factor{label: "x"}).finding(of); !strings.HasSuffix(got, " The gain is 5 % or more "+c.want) && !strings.HasSuffix(got, " The gain is "+c.want) {
			t.Errorf("%v: %q; want %q", c.gains, got, c.want)
		}
	}
}
