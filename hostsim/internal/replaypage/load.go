package replaypage

import (
	"fmt"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
)

// spans is how many parts of a run's time its load is averaged over.
const spans = 80

// manyReplicas is beyond what can be told apart in a picture; then the least, the mean and the most are drawn.
const manyReplicas = 12

// load draws the requests under way at each replica over time, a picture for each policy.
func (c *Comparison) load() (report.Section, error) {
	s := report.Section{Table: report.Table{
		Title: "Load over time",
		Note:  "Requests in flight at each replica, from arrival to last token. Lines that lie together mean an even load; a line that stands out is a hot spot. All pictures have the same axes.",
	}}
	top, right := 0.0, 0.0
	loads := make([][]report.Line, len(c.Runs))
	for i, r := range c.Runs {
		if len(r.Served) == 0 {
			return report.Section{}, nil
		}
		loads[i], right = underWay(r), max(right, r.DurationS)
		for _, l := range loads[i] {
			for _, y := range l.Y {
				top = max(top, y)
			}
		}
	}
	if c.Runs[0].HungUp > 0 { // the same for all: nothing is known of them
		s.Note += " Requests whose clients do not wait are not among them."
	}
	for i, r := range c.Runs {
		plot, err := report.Lines(report.LineChart{Title: r.Policy, X: "seconds", Y: "in flight", Top: top, Right: right, Half: true, Lines: loads[i]})
		if err != nil {
			return s, fmt.Errorf("load of %s: %w", r.Policy, err)
		}
		if i < len(c.Runs)-1 {
			plot.Legend = nil // the same for all
		}
		s.Plots = append(s.Plots, plot)
	}
	return s, nil
}

// underWay is the mean number of requests under way in each span of time, by replica.
func underWay(r *replay.Result) []report.Line {
	end := int64(r.DurationS*1e9) + 1
	width := end/spans + 1
	sums := make([][spans]float64, r.Replicas)
	for _, s := range r.Served {
		if s.PromptTokens == 0 {
			continue
		}
		for at := s.Queued; at < s.Final; {
			span := at / width
			until := min((span+1)*width, s.Final)
			sums[s.Replica][span] += float64(until-at) / float64(width)
			at = until
		}
	}
	x := make([]float64, spans)
	for i := range x {
		x[i] = (float64(i) + 0.5) * float64(width) / 1e9
	}
	if r.Replicas <= manyReplicas {
		lines := make([]report.Line, r.Replicas)
		for i := range lines {
			lines[i] = report.Line{Name: fmt.Sprintf("replica %d", i), X: x, Y: sums[i][:]}
		}
		return lines
	}
	least, mean, most := make([]float64, spans), make([]float64, spans), make([]float64, spans)
	for i := range spans {
		least[i] = sums[0][i]
		for _, s := range sums {
			least[i], most[i] = min(least[i], s[i]), max(most[i], s[i])
			mean[i] += s[i] / float64(r.Replicas)
		}
	}
	return []report.Line{{Name: "mean", X: x, Y: mean}, {Name: "most", X: x, Y: most}, {Name: "least", X: x, Y: least}}
}
