package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/vllm"
)

// interval is what a policy's users see with steps at the ends of the profile's interval.
type interval struct {
	policy                 string
	best, expected, slower *replay.Result
}

// intervalOf replays o twice more.
func intervalOf(ctx context.Context, o replay.Options, expected *replay.Result) (interval, error) {
	o.Progress, o.Detail = nil, false
	between := interval{policy: o.Policy, expected: expected}
	profile := o.Profile
	for _, end := range []struct {
		factor float64
		result **replay.Result
	}{{1 / (1 + profile.Error), &between.best}, {1 + profile.Error, &between.slower}} {
		o.Profile = profile.Slower(end.factor)
		r, err := replay.Run(ctx, o)
		if err != nil {
			return between, err
		}
		*end.result = r
	}
	return between, nil
}

func writeIntervals(w io.Writer, p vllm.Profile, intervals []interval) error {
	if len(intervals) == 0 {
		return nil
	}
	if p.Error == 0 {
		_, err := fmt.Fprintf(w, "\nThe profile %s does not say how far its steps may be off: no interval.\n", p.Name)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nsteps ± %.0f %%\tTTFT mean, ms\tP95\tTPOT mean\n", 100*p.Error)
	for _, i := range intervals {
		fmt.Fprintf(table, "%s\t%.0f (%.0f to %.0f)\t%.0f (%.0f to %.0f)\t%.1f (%.1f to %.1f)\n", i.policy,
			i.expected.TTFT.Mean, i.best.TTFT.Mean, i.slower.TTFT.Mean, i.expected.TTFT.P95, i.best.TTFT.P95, i.slower.TTFT.P95,
			i.expected.TPOT.Mean, i.best.TPOT.Mean, i.slower.TPOT.Mean)
	}
	return table.Flush()
}
