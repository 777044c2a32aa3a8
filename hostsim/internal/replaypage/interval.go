package replaypage

import (
	"fmt"
	"io"
	"text/tabwriter"

	"warmroute/hostsim/internal/replay"
)

// WriteIntervals writes what each policy's users see with steps at both ends of the interval of the profile of that name, which may be off
// by part, 0 to 1; 0: it does not say.
func WriteIntervals(w io.Writer, profile string, part float64, intervals []replay.Interval) error {
	if len(intervals) == 0 {
		return nil
	}
	if part == 0 {
		_, err := fmt.Fprintf(w, "\nThe profile %s does not say how far its steps may be off: no interval.\n", profile)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nsteps ± %.0f %%\tTTFT mean, ms\tP95\tTPOT mean\n", 100*part)
	for _, i := range intervals {
		fmt.Fprintf(table, "%s\t%.0f (%.0f to %.0f)\t%.0f (%.0f to %.0f)\t%.1f (%.1f to %.1f)\n", i.Policy,
			i.Expected.TTFT.Mean, i.Best.TTFT.Mean, i.Slower.TTFT.Mean, i.Expected.TTFT.P95, i.Best.TTFT.P95, i.Slower.TTFT.P95,
			i.Expected.TPOT.Mean, i.Best.TPOT.Mean, i.Slower.TPOT.Mean)
	}
	return table.Flush()
}
