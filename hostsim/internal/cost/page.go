package cost

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/report"
)

// Page shows the table, a plot for each thing that cost grows with, and the memory.
func Page(rows []Row, all []Growth, held []Held) (*report.Page, error) {
	p := &report.Page{Title: "What the module adds to a plain Envoy", Lead: "CPU of all threads, above a plain Envoy in front of the same servers, which answer at once. Every prompt is new, or a conversation's next turn."}
	table := report.Table{Title: "What users pay", Columns: []string{"setting", "case", "variant", "CPU µs", "worker", "main", "other", "throughput ÷", "P50 µs", "added", "longest ms", "MB"}}
	for i := range rows {
		r := &rows[i]
		table.Rows = append(table.Rows, []string{r.Setting.String(), r.Case.String(), r.Variant, fmt.Sprintf("%+.0f", r.CPU), fmt.Sprintf("%+.0f", r.Worker), fmt.Sprintf("%+.1f", r.Main),
			fmt.Sprintf("%+.1f", r.Other), fmt.Sprintf("%.2f", r.Throughput), fmt.Sprintf("%.0f", r.P50), fmt.Sprintf("%+.0f", r.Added), fmt.Sprintf("%.1f", r.Longest), fmt.Sprint(r.Resident >> 20)})
	}
	if len(rows) > 0 {
		p.Sections = append(p.Sections, report.Section{Table: table})
	}
	for _, a := range axes {
		s := report.Section{Table: report.Table{Title: "Growth with " + a.name, Note: a.why, Columns: []string{"variant", "slope, µs for each more"}}}
		chart := report.LineChart{X: a.name, Y: "added CPU, µs a request", Dots: true, Signed: true}
		for _, g := range all {
			if g.With == a.name {
				chart.Lines = append(chart.Lines, report.Line{Name: g.Variant, X: g.X, Y: g.CPU})
				s.Rows = append(s.Rows, []string{g.Variant, fmt.Sprintf("%.3f", g.Slope)})
				chart.LogX = chart.LogX || g.X[0] > 0 && g.X[len(g.X)-1]/g.X[0] > 20
			}
		}
		if len(chart.Lines) == 0 {
			continue
		}
		plot, err := report.Lines(chart)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		s.Plot = plot
		p.Sections = append(p.Sections, s)
	}
	if len(held) > 1 {
		line, most := report.Line{Name: "resident"}, 0.0
		for _, h := range held {
			mb := float64(h.Resident) / (1 << 20)
			line.X, line.Y, most = append(line.X, float64(h.Requests)), append(line.Y, mb), math.Max(most, mb)
		}
		plot, err := report.Lines(report.LineChart{X: "requests, each with a new prompt", Y: "MB resident", Top: most * 1.2, Lines: []report.Line{line}})
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, report.Section{Table: report.Table{Title: "Memory", Note: "Of the whole Envoy. It grows until the index has index_bytes, and then stays."}, Plot: plot})
	}
	return p, nil
}
