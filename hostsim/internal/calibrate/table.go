package calibrate

import (
	"fmt"
	"io"
	"text/tabwriter"

	"warmroute/hostsim/internal/vllm"
)

// WriteTable writes what was fitted and what was not, and what the measurement cannot show, a line each.
func (f *Fitted) WriteTable(w io.Writer, cannot ...string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "factor of the profile's numbers\t\tdetermined\n")
	for _, k := range f.Factors {
		if k.Absent {
			continue
		}
		determined, value := "yes", fmt.Sprintf("× %.3f", k.Value)
		if k.Found > 0 {
			value = fmt.Sprintf("%.3g µs", k.Found/1e3)
		}
		if !k.Known {
			determined = fmt.Sprintf("no: a tenth more changes the fit by %.1f %%", 100*k.Penalty)
			if k.With != "" {
				determined += ", if \"" + k.With + "\" makes up for it"
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", k.Name, value, determined)
	}
	if len(f.Residuals) > 0 {
		fmt.Fprintf(table, "\nresiduals\tmeasured\tmodel\terror\n")
		for _, r := range f.Residuals {
			note := ""
			if !r.Fitted {
				note = ", not fitted"
			}
			fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%+.1f %%%s\n", r.Name, r.Measured, r.Model, 100*(r.Model/r.Measured-1), note)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nSteps ± %.0f %%. This measurement does not show:\n", 100*f.Profile.Error)
	for _, line := range cannot {
		fmt.Fprintf(w, "- %s\n", line)
	}
	return nil
}

// WriteErrors writes how far a profile, which has that name, is from the measured times: as it is, and with steps at both ends of its
// interval.
func (r *Run) WriteErrors(w io.Writer, name string, p vllm.Profile) error {
	for _, factor := range []float64{1, 1 / (1 + p.Error), 1 + p.Error} {
		done, stats, err := r.Replay(p.Slower(factor))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s (%v), steps × %.2f: %v; %d preemptions\n", name, &p, factor, r.Compare(done, 0, len(done)), stats.Preemptions)
		if p.Error == 0 {
			break
		}
	}
	return nil
}
