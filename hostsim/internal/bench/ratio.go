package bench

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/stats"
)

// Ratio is what one target's measure is to the first target's.
type Ratio struct {
	Target  string  `json:"target"`
	Measure string  `json:"measure"` // such as ttft_ms.mean
	Ratio   float64 `json:"ratio"`   // geometric mean over the rounds
	Least   float64 `json:"least"`   // of the 95 % interval; 0 with Most: there is one round, and no interval
	Most    float64 `json:"most"`
}

// measures are what Ratios compares.
var measures = []struct {
	name string
	of   func(*Result) float64
}{
	{"ttft_ms.mean", func(r *Result) float64 { return r.TTFT.Mean }},
	{"ttft_ms.p50", func(r *Result) float64 { return r.TTFT.P50 }},
	{"ttft_ms.p95", func(r *Result) float64 { return r.TTFT.P95 }},
	{"tpot_ms.mean", func(r *Result) float64 { return r.TPOT.Mean }},
	{"e2e_ms.mean", func(r *Result) float64 { return r.Latency.Mean }},
	{"computed_tokens", func(r *Result) float64 { return float64(r.PromptTokens - r.CachedTokens) }},
}

// Ratios compares each target with the first: rounds[i][j] is target j's run in round i. The interval is Student's, of the ratios'
// logarithms, a round a measurement. Measures of which a run has none are left out.
func Ratios(rounds [][]*Result) []Ratio {
	var out []Ratio
	for j := 1; len(rounds) > 0 && j < len(rounds[0]); j++ {
		for _, m := range measures {
			var logs []float64
			for _, runs := range rounds {
				if a, b := m.of(runs[0]), m.of(runs[j]); a > 0 && b > 0 {
					logs = append(logs, math.Log(b/a))
				}
			}
			if len(logs) < len(rounds) {
				continue
			}
			sum, square := 0.0, 0.0
			for _, x := range logs {
				sum += x
			}
			n := float64(len(logs))
			mean := sum / n
			for _, x := range logs {
				square += (x - mean) * (x - mean)
			}
			r := Ratio{Target: rounds[0][j].Target, Measure: m.name, Ratio: math.Exp(mean)}
			if len(logs) > 1 {
				half := stats.Student(len(logs)-1) * math.Sqrt(square/(n-1)/n)
				r.Least, r.Most = math.Exp(mean-half), math.Exp(mean+half)
			}
			out = append(out, r)
		}
	}
	return out
}

// RatioTable shows them: to the target of that name, the first.
func RatioTable(first string, ratios []Ratio) report.Table {
	t := report.Table{Title: "Ratio to " + first + ", below 1 is better", Columns: []string{"target", "measure", "ratio", "95 % interval"}}
	for _, r := range ratios {
		interval := "one round: none"
		if r.Most > 0 {
			interval = fmt.Sprintf("%.3f to %.3f", r.Least, r.Most)
		}
		t.Rows = append(t.Rows, []string{r.Target, r.Measure, fmt.Sprintf("%.3f", r.Ratio), interval})
	}
	return t
}
