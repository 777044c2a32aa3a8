package verdict

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/stats"
)

// Interval is a mean and its confidence interval, as shares.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`  // of the 95 % confidence interval
	High float64 `json:"high"` // equal to Low and Mean where there is one value
}

// Confidence is the mean of values, at least one, and its 95 % interval by Student's t.
func Confidence(values []float64) Interval {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	if len(values) < 2 {
		return Interval{mean, mean, mean}
	}
	half := stats.Student(len(values)-1) * math.Sqrt(square/(n-1)/n)
	return Interval{mean, mean - half, mean + half}
}

// String is such as "3.0 % (95 % interval 1.0 % to 5.0 %)".
func (i Interval) String() string {
	if i.Low == i.High {
		return figure.Percent(i.Mean)
	}
	return fmt.Sprintf("%s (95 %% interval %s to %s)", figure.Percent(i.Mean), figure.Percent(i.Low), figure.Percent(i.High))
}
