// Package replaypage shows policies side by side that were replayed on one trace: tables for a terminal, and a page with plots that explains
// each request. It is given results of replays and what caching could save, and runs nothing.
package replaypage

import (
	"fmt"
	"maps"
	"slices"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/verdict"
)

// Comparison is policies, at least one, on one trace.
type Comparison struct {
	Title   string
	Note    string // what was replayed, on what
	Runs    []*replay.Result
	Bounds  *verdict.Bounds // or nil
	Meaning report.Meaning  // of a decision's fields, for the explorer
}

// Page is the comparison as a page. Runs with Detail have their load over time, and their requests explained.
func (c *Comparison) Page() (*report.Page, error) {
	page := &report.Page{Title: c.Title, Lead: verdict.Of(c.Runs, c.Bounds)}
	table := c.table()
	table.Title = "Policies compared"
	page.Sections = append(page.Sections, report.Section{Table: table})
	for _, part := range []func() (report.Section, error){c.Waits, c.balance, c.Hits, c.load, c.reasons} {
		s, err := part()
		if err != nil {
			return nil, err
		}
		if s.Title != "" {
			page.Sections = append(page.Sections, s)
		}
	}
	if len(c.Runs[0].Served) == 0 {
		return page, nil
	}
	var err error
	page.Explorer, err = report.NewExplorer(c.names(), c.choices(), c.Meaning)
	return page, err
}

func (c *Comparison) names() (names []string) {
	for _, r := range c.Runs {
		names = append(names, r.Policy)
	}
	return names
}

// Waits draws how long users wait for the first token.
func (c *Comparison) Waits() (report.Section, error) {
	s := report.Section{Table: report.Table{
		Title: "How long users wait for the first token",
		Note:  "The share of requests whose first token came within the time below; further left and higher up is better.",
	}}
	var series []report.Series
	for _, r := range c.Runs {
		series = append(series, report.Series{Name: r.Policy, Values: r.TTFTs})
	}
	var err error
	s.Plot, err = report.Distribution("time to first token, ms", series)
	return s, err
}

func (c *Comparison) balance() (report.Section, error) {
	s := report.Section{Table: report.Table{
		Title: "Hits against balance",
		Note: "Up: more of the prompts is found in caches. Left: the work that is left is spread more evenly (1 is even; at 2 the busiest replica " +
			"computes twice the mean). What goes by prefix alone is high and far right, what goes by load alone is low and left.",
	}}
	var points []report.Point
	for _, r := range c.Runs {
		points = append(points, report.Point{Name: r.Policy, X: r.Imbalance, Y: 100 * r.TokenHitRatio})
	}
	var levels []report.Level
	if c.Bounds != nil {
		levels = []report.Level{{Name: "a cache that never forgets", Y: 100 * c.Bounds.Infinite}, {Name: "bound of this memory", Y: 100 * c.Bounds.Pooled}}
	}
	var err error
	s.Plot, err = report.Scatter("imbalance: most prefill tokens computed by a replica ÷ mean (1 is even)", "prompt tokens found in caches, %", 1, points, levels)
	return s, err
}

// Hits draws what share of the prompt tokens was found, against Bounds; empty without these.
func (c *Comparison) Hits() (report.Section, error) {
	if c.Bounds == nil {
		return report.Section{}, nil
	}
	top := max(c.Bounds.Infinite, 1e-9)
	bars := report.Bars{Legend: []report.Key{{Name: "for comparison", Color: report.Color(6)}}}
	for i, r := range c.Runs {
		bars.Rows = append(bars.Rows, report.Bar{Name: r.Policy, Text: figure.Percent(r.TokenHitRatio), Tick: c.Bounds.Recent / top,
			Parts: []report.Part{{Name: r.Policy, Share: r.TokenHitRatio / top, Color: report.ColorOf(i, r.Policy)}}})
	}
	for _, b := range []struct {
		name  string
		share float64
	}{
		{"one LRU cache of all the memory", c.Bounds.Recent}, {"Belady's bound of that memory", c.Bounds.Pooled}, {"a cache that never forgets", c.Bounds.Infinite},
	} {
		bars.Rows = append(bars.Rows, report.Bar{Name: b.name, Text: figure.Percent(b.share),
			Parts: []report.Part{{Name: b.name, Share: b.share / top, Color: report.Color(6)}}})
	}
	return report.Section{Table: report.Table{
		Title: "Hits against what is possible",
		Note: "The mark is what one cache with the memory of all replicas would find, evicting as vLLM does: what routing that loses nothing can hope for. " +
			"The bound knows the future and what is only in caches; no router reaches it.",
	}, Bars: []report.Bars{bars}}, nil
}

func (c *Comparison) reasons() (report.Section, error) {
	count := map[string]int{}
	for _, r := range c.Runs {
		for reason := range r.Reasons {
			count[reason]++
		}
	}
	order := slices.Sorted(maps.Keys(count))
	bars := report.Bars{}
	for i, reason := range order {
		bars.Legend = append(bars.Legend, report.Key{Name: reason, Color: report.Color(i)})
	}
	for _, r := range c.Runs {
		bar := report.Bar{Name: r.Policy}
		for i, reason := range order {
			bar.Parts = append(bar.Parts, report.Part{Name: fmt.Sprintf("%s: %d", reason, r.Reasons[reason]),
				Share: float64(r.Reasons[reason]) / float64(r.Requests), Color: report.Color(i)})
		}
		bars.Rows = append(bars.Rows, bar)
	}
	s := report.Section{Table: report.Table{Title: "Why requests went where they went"}, Bars: []report.Bars{bars}}
	if c.Meaning != nil {
		for i := range bars.Legend {
			if m := c.Meaning("reason", order[i], ""); m != "" {
				s.Bars[0].Legend[i].Name += ": " + m
			}
		}
	}
	return s, nil
}

func (c *Comparison) choices() [][]report.Choice {
	out := make([][]report.Choice, len(c.Runs))
	for p, r := range c.Runs {
		out[p] = make([]report.Choice, len(r.Served))
		for i, s := range r.Served {
			out[p][i] = report.Choice{
				At: figure.MS(s.Queued), TTFT: figure.MS(s.First - s.Queued), Latency: figure.MS(s.Final - s.Queued), Replica: s.Replica,
				PromptTokens: s.PromptTokens, CachedTokens: s.CachedTokens, Decision: s.Decision, Impatient: s.Impatient,
			}
		}
	}
	return out
}
