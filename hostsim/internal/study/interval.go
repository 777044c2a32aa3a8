package study

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/stats"
)

// interval is a mean and its confidence interval.
type interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`  // of the 95 % confidence interval
	High float64 `json:"high"` // equal to Low and Mean where there is one value
}

// confidence is the mean of values and its 95 % interval by Student's t.
func confidence(values []float64) interval {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	if len(values) < 2 {
		return interval{mean, mean, mean}
	}
	half := stats.Student(len(values)-1) * math.Sqrt(square/(n-1)/n)
	return interval{mean, mean - half, mean + half}
}

func (i interval) String() string {
	if i.Low == i.High {
		return figure.Percent(i.Mean)
	}
	return fmt.Sprintf("%s (95 %% interval %s to %s)", figure.Percent(i.Mean), figure.Percent(i.Low), figure.Percent(i.High))
}
