package study

import (
	"fmt"
	"time"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/verdict"
)

// StalePoint is one policy with knowledge of one age.
type StalePoint struct {
	Of        string  `json:"of"` // directory or metrics
	Policy    string  `json:"policy"`
	Interval  float64 `json:"interval_s"` // −1: never refreshed
	Gateways  int     `json:"gateways"`
	TTFT      float64 `json:"ttft_mean_ms"`
	P99       float64 `json:"ttft_p99_ms"`
	Hit       float64 `json:"token_hit_ratio"`
	Imbalance float64 `json:"imbalance"`
}

// staleIntervals are what is tried, in seconds.
var staleIntervals = []float64{0, 0.1, 0.3, 1, 3, 10, 30}

const (
	ofDirectory = "directory"
	ofMetrics   = "metrics"
	never       = -1.0
)

// metricsGateways is how many gateways there are where metrics are studied: one alone counts all load itself.
const metricsGateways = 4

// Staleness refreshes the directory of one gateway, and the metrics that several gateways read, every so often. An error comes with
// the points of the policies that are whole.
func Staleness(s *sweep.Sweep) ([]StalePoint, error) {
	var points []StalePoint
	add := func(of string, interval float64, r *replay.Result) {
		points = append(points, StalePoint{of, r.Policy, interval, r.Gateways, r.TTFT.Mean, r.TTFT.P99, r.TokenHitRatio, r.Imbalance})
	}
	directory, metrics := []string{contender.Default, "expected_ttft"}, []string{"join_shortest_queue", "power_of_two", contender.Default}
	s.Total = (len(directory) + len(metrics)) * len(staleIntervals)
	for _, policy := range directory {
		whole := len(points)
		for _, interval := range staleIntervals {
			r, err := s.Run(fmt.Sprintf("directory every %g s, %s", interval, policy), func(o *replay.Options) {
				o.Policy, o.Workers, o.Gateways, o.Scrape = policy, 1, 1, 0
				tokens := o.Profile.KVTokens()
				o.Engine = func(configuration []byte, _ int) (router.Engine, error) {
					return ours.NewStale(configuration, time.Duration(interval*1e9), tokens)
				}
			})
			if err != nil {
				return points[:whole], err
			}
			add(ofDirectory, interval, r)
		}
	}
	for _, policy := range metrics {
		whole := len(points)
		for _, interval := range append([]float64{never}, staleIntervals[1:]...) {
			r, err := s.Run(fmt.Sprintf("metrics every %g s, %s", interval, policy), func(o *replay.Options) {
				o.Policy, o.Gateways, o.Scrape = policy, metricsGateways, 0
				if interval > 0 {
					o.Scrape = time.Duration(interval * 1e9)
				}
			})
			if err != nil {
				return points[:whole], err
			}
			add(ofMetrics, interval, r)
		}
	}
	return points, nil
}

// StalenessPage shows what age costs, with what it says.
func StalenessPage(points []StalePoint, what string) (*report.Page, error) {
	page := &report.Page{
		Title: "What stale knowledge costs",
		Foot: fmt.Sprintf("hostsim study staleness, %s. Directory: one gateway with one worker, which sees what it sent where only at the next refresh, while its own counts of load are exact. "+
			"Metrics: %d gateways that share nothing; each reads the replicas' /metrics through the module's own code.", what, metricsGateways),
	}
	section := report.Section{Table: report.Table{Title: "Mean TTFT, by interval", Columns: []string{"of, policy", "at once, never"}}}
	found := report.Section{Table: report.Table{Title: "Tokens found, by interval"}}
	for _, of := range []string{ofDirectory, ofMetrics} {
		var ttfts, hits []report.Line
		for _, curve := range curves(points, of) {
			ttft, hit := report.Line{Name: curve[0].Policy}, report.Line{Name: curve[0].Policy}
			row, shares := []string{of + ", " + curve[0].Policy}, []string{of + ", " + curve[0].Policy}
			for _, p := range curve {
				row, shares = append(row, figure.Millis(p.TTFT)), append(shares, figure.Percent(p.Hit))
				if len(row) > len(section.Columns) {
					section.Columns = append(section.Columns, figure.Plain(p.Interval)+" s")
				}
				if p.Interval == never {
					continue
				}
				x := max(p.Interval, 0.05) // 0 stands at the left end of a logarithmic axis
				ttft.X, ttft.Y = append(ttft.X, x), append(ttft.Y, p.TTFT)
				hit.X, hit.Y = append(hit.X, x), append(hit.Y, 100*p.Hit)
			}
			section.Rows, found.Rows = append(section.Rows, row), append(found.Rows, shares)
			ttfts, hits = append(ttfts, ttft), append(hits, hit)
			page.Findings = append(page.Findings, staleFinding(of, curve))
		}
		if len(ttfts) == 0 {
			continue // interrupted before
		}
		for _, c := range []report.LineChart{{Y: "mean TTFT, ms", Lines: ttfts}, {Y: "tokens found, %", Lines: hits}} {
			c.Title, c.X, c.LogX, c.Dots, c.Half = "Refresh of the "+of, "refresh every s; 0: left end", true, true, true
			plot, err := report.Lines(c)
			if err != nil {
				return nil, err
			}
			section.Plots = append(section.Plots, plot)
		}
	}
	page.Lead = page.Findings[0]
	page.Findings = page.Findings[1:]
	plots := report.Section{Table: report.Table{Title: "Refresh by refresh"}, Plots: section.Plots}
	section.Plots = nil
	found.Columns = section.Columns
	page.Sections = []report.Section{plots, section, found}
	return page, nil
}

// curves are the points of one kind, by policy, in order.
func curves(points []StalePoint, of string) (out [][]StalePoint) {
	for i, p := range points {
		if p.Of != of {
			continue
		}
		if len(out) == 0 || points[i-1].Policy != p.Policy || points[i-1].Of != of {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// staleFinding says how old knowledge may be, against the freshest (of metrics: against none).
func staleFinding(of string, curve []StalePoint) string {
	first, last := curve[0], curve[len(curve)-1]
	if of == ofMetrics {
		best := curve[1]
		for _, p := range curve[1:] {
			if p.TTFT < best.TTFT {
				best = p
			}
		}
		return fmt.Sprintf("Metrics, %s: without them %s; best at every %s s, %s (%s); at every %s s %s (%s).", first.Policy, figure.Millis(first.TTFT),
			figure.Plain(best.Interval), figure.Millis(best.TTFT), figure.Signed(best.TTFT/first.TTFT-1), figure.Plain(last.Interval), figure.Millis(last.TTFT), figure.Signed(last.TTFT/first.TTFT-1))
	}
	fine := first
	for _, p := range curve {
		if p.TTFT > first.TTFT*(1+verdict.Helps) {
			break
		}
		fine = p
	}
	return fmt.Sprintf("Directory, %s: refreshed at once it gives %s and finds %s; up to every %s s it costs less than 5 %%; at every %s s %s (%s) and %s.",
		first.Policy, figure.Millis(first.TTFT), figure.Percent(first.Hit), figure.Plain(fine.Interval), figure.Plain(last.Interval), figure.Millis(last.TTFT), figure.Signed(last.TTFT/first.TTFT-1), figure.Percent(last.Hit))
}
