package trace

import (
	"slices"
	"time"
)

const (
	// coarse is the step from which a recorder's clock is too coarse to tell requests apart that come one after the other.
	coarse = 100 * time.Millisecond

	// burst is the share of requests that have the time of the one before them from which they look like bursts.
	burst = 0.2

	// regular is how many times as long as the shortest times between bursts the median may be where a clock makes them. Requests come by
	// chance: without a clock the shortest hundredth is a seventieth of the median; and where a fifth have the time of the one before, most
	// bursts are one or two steps of the clock apart.
	regular = 4
)

// CoarseClock finds requests that seem to come in bursts because the clock that recorded them has steps, as in logs of whole seconds: the step,
// and the share of requests that have the time of the one before, 0 to 1. step is 0 where there are no such bursts.
func (t *Trace) CoarseClock() (step time.Duration, share float64) {
	var between []int64
	for i := 1; i < len(t.Requests); i++ {
		if gap := t.Requests[i].At - t.Requests[i-1].At; gap > 0 {
			between = append(between, gap)
		}
	}
	share = 1 - float64(len(between)+1)/float64(max(len(t.Requests), 1))
	if len(between) == 0 || share < burst {
		return 0, share
	}
	slices.Sort(between)
	shortest, median := between[len(between)/100], between[len(between)/2]
	if shortest < coarse.Nanoseconds() || median > regular*shortest {
		return 0, share
	}
	return time.Duration(shortest).Round(coarse), share
}
