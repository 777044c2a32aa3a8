package advice

import (
	"fmt"
	"strings"
	"time"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/stats"
)

// Goal is what an operator promises: a bound on a measure of all requests.
type Goal struct {
	Name  string  `json:"name"` // such as ttft_p95
	Limit float64 `json:"limit_ms"`
	of    func(*replay.Result) float64
}

// ParseGoals reads goals such as "ttft_p95=500ms". The measures are ttft, tpot and e2e, each with _mean, _p50, _p95 or
// _p99. Errors name the goal.
func ParseGoals(texts []string) ([]Goal, error) {
	var out []Goal
	for _, text := range texts {
		name, limit, ok := strings.Cut(text, "=")
		measure, part, ok2 := strings.Cut(name, "_")
		dist := map[string]func(*replay.Result) *stats.Dist{
			"ttft": func(r *replay.Result) *stats.Dist { return &r.TTFT },
			"tpot": func(r *replay.Result) *stats.Dist { return &r.TPOT },
			"e2e":  func(r *replay.Result) *stats.Dist { return &r.Latency },
		}[measure]
		at := map[string]func(*stats.Dist) float64{
			"mean": func(d *stats.Dist) float64 { return d.Mean },
			"p50":  func(d *stats.Dist) float64 { return d.P50 },
			"p95":  func(d *stats.Dist) float64 { return d.P95 },
			"p99":  func(d *stats.Dist) float64 { return d.P99 },
		}[part]
		if !ok || !ok2 || dist == nil || at == nil {
			return nil, fmt.Errorf("slo %q: want MEASURE=TIME, such as ttft_p95=500ms; measures are ttft, tpot and e2e with _mean, _p50, _p95 or _p99", text)
		}
		d, err := time.ParseDuration(limit)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("slo %q: %q is not a time above 0, such as 500ms", text, limit)
		}
		out = append(out, Goal{name, float64(d) / 1e6, func(r *replay.Result) float64 { return at(dist(r)) }})
	}
	return out, nil
}

// met says whether a run meets all goals.
func met(goals []Goal, r *replay.Result) bool {
	for _, g := range goals {
		if g.of(r) > g.Limit {
			return false
		}
	}
	return r.Rejected < r.Requests
}

func goalText(goals []Goal) string {
	var parts []string
	for _, g := range goals {
		parts = append(parts, fmt.Sprintf("%s ≤ %s", g.Name, figure.Millis(g.Limit)))
	}
	return strings.Join(parts, " and ")
}
