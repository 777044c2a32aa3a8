package trace

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestCoarseClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	// arrivals come by chance, rate a second for so many seconds, by a clock of that step.
	arrivals := func(rate, seconds float64, step time.Duration) (times []time.Duration) {
		for at := 0.0; at < seconds; at += rng.ExpFloat64() / rate {
			times = append(times, time.Duration(at*1e9).Truncate(step))
		}
		return times
	}
	jitter := arrivals(4, 600, 3*time.Second)
	for i := 1; i < len(jitter); i++ {
		if jitter[i] >= jitter[i-1]+time.Second {
			late := time.Duration(rng.IntN(40)) * time.Millisecond
			for k := i; k < len(jitter) && (k == i || jitter[k] == jitter[k-1]-late); k++ {
				jitter[k] += late
			}
		}
	}
	night := append(make([]time.Duration, 400), arrivals(.1, 4000, time.Millisecond)[1:]...)
	for name, c := range map[string]struct {
		times []time.Duration
		step  time.Duration
	}{
		"whole seconds":            {arrivals(2, 300, time.Second), time.Second},
		"whole seconds, many":      {arrivals(30, 60, time.Second), time.Second},
		"three seconds, not quite": {jitter, 3 * time.Second},
		"milliseconds":             {arrivals(30, 60, time.Millisecond), 0},
		"milliseconds, very many":  {arrivals(900, 5, time.Millisecond), 0},
		"whole seconds, few":       {arrivals(.1, 2000, time.Second), 0},
		"a batch, and then others": {night, 0},
		"all at once":              {make([]time.Duration, 9), 0},
		"one":                      {make([]time.Duration, 1), 0},
		"none":                     {nil, 0},
	} {
		var trace Trace
		for _, at := range c.times {
			trace.Requests = append(trace.Requests, Request{At: at.Nanoseconds()})
		}
		if step, share := trace.CoarseClock(); step != c.step {
			t.Errorf("%s: %v, share %v, want %v", name, step, share, c.step)
		}
	}
}
