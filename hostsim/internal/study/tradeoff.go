package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/trace"
)

// TradeoffPoint is one weight at one load.
type TradeoffPoint struct {
	Affinity  float64 `json:"affinity"` // of cache_aware
	Speed     float64 `json:"speed"`
	TTFT      float64 `json:"ttft_mean_ms"`
	Hit       float64 `json:"token_hit_ratio"`
	Imbalance float64 `json:"imbalance"`
	Regret    float64 `json:"regret"` // TTFT ÷ the least at this load − 1
	ByLoad    float64 `json:"by_load_ttft_mean_ms"`
}

// Tradeoff runs cache_aware with each affinity at each load, on as many arrangements of the trace as seeds says; the
// points are means. An error comes with the points of the loads that are whole.
func Tradeoff(s *sweep.Sweep, affinities, speeds []float64, seeds int) ([]TradeoffPoint, error) {
	var points []TradeoffPoint
	weight := 1 / float64(seeds)
	arranged := make([]*trace.Trace, seeds)
	s.Total = len(speeds) * seeds * (len(contender.LoadOnly) + len(affinities))
	for i := range arranged {
		arranged[i] = loads.Jitter(s.Base.Trace, uint64(i), loads.JitterSpan)
	}
	for _, speed := range speeds {
		from, byLoad := len(points), 0.0
		for _, t := range arranged {
			base, err := s.Least(fmt.Sprintf("load × %g", speed), func(o *replay.Options) { o.Speed, o.Trace = speed, t })
			if err != nil {
				return points, err
			}
			byLoad += weight * base.TTFT.Mean
		}
		best := math.Inf(1)
		for _, a := range affinities {
			at := TradeoffPoint{Affinity: a, Speed: speed, ByLoad: byLoad}
			for _, t := range arranged {
				r, err := s.Run(fmt.Sprintf("load × %g, affinity %g", speed, a), func(o *replay.Options) {
					o.Policy, o.Speed, o.Trace = contender.Default, speed, t
					o.Plugin = map[string]any{"cache_aware": map[string]any{"affinity": a}}
				})
				if err != nil {
					return points[:from], err
				}
				at.TTFT += weight * r.TTFT.Mean
				at.Hit += weight * r.TokenHitRatio
				at.Imbalance += weight * r.Imbalance
			}
			best = min(best, at.TTFT)
			points = append(points, at)
		}
		for i := from; i < len(points); i++ {
			points[i].Regret = points[i].TTFT/best - 1
		}
	}
	return points, nil
}

// robust is the affinity whose worst regret over the loads is least, and that regret.
func robust(points []TradeoffPoint) (affinity, regret float64) {
	worst := map[float64]float64{}
	for _, p := range points {
		worst[p.Affinity] = max(worst[p.Affinity], p.Regret)
	}
	affinity, regret = 0, math.Inf(1)
	for _, p := range points { // in order, not the map's
		if worst[p.Affinity] < regret {
			affinity, regret = p.Affinity, worst[p.Affinity]
		}
	}
	return affinity, regret
}

// TradeoffPage is the surface, with what it says.
func TradeoffPage(points []TradeoffPoint, what string) (*report.Page, error) {
	byAffinity, bySpeed := group(points, func(p TradeoffPoint) float64 { return p.Affinity }), group(points, func(p TradeoffPoint) float64 { return p.Speed })
	page := &report.Page{Title: "Affinity against queueing", Foot: "hostsim study tradeoff, " + what}
	page.Lead, page.Findings = tradeoffWords(points, byAffinity, bySpeed)
	along, err := alongAffinity(bySpeed)
	if err != nil {
		return nil, err
	}
	page.Sections = []report.Section{
		{Table: report.Table{Title: "The surface"}, Grids: []report.Grid{surface(byAffinity, bySpeed)}},
		{Table: report.Table{Title: "Along the affinity"}, Plots: along},
		{Table: tradeoffTable(points)},
	}
	return page, nil
}

// tradeoffWords says what the points show: of one setting for all loads, of the default, and of the ends at each load.
func tradeoffWords(points []TradeoffPoint, byAffinity, bySpeed []grouped) (lead string, findings []string) {
	affinity, regret := robust(points)
	lead = fmt.Sprintf("An affinity of %s is within %s of the best at every load", figure.Plain(affinity), figure.Percent(regret))
	if regret <= 0.05 {
		lead += ": one setting is robust here."
	} else {
		lead += ": no one setting is best at all loads here, and this costs least."
	}
	for _, a := range byAffinity {
		if a.value != 1 {
			continue
		}
		worst, at := 0.0, 0.0
		for _, p := range a.points {
			if p.Regret > worst {
				worst, at = p.Regret, p.Speed
			}
		}
		if worst == 0 {
			findings = append(findings, "The default, 1, is the best setting at every load.")
			continue
		}
		findings = append(findings, fmt.Sprintf("The default, 1, costs at most %s more than the best setting (at %s × the load).", figure.Percent(worst), figure.Plain(at)))
	}
	order := func(a, b grouped) int { return cmp.Compare(a.value, b.value) }
	low, high := slices.MinFunc(byAffinity, order), slices.MaxFunc(byAffinity, order)
	for i := range bySpeed {
		l, h := low.points[i], high.points[i]
		findings = append(findings, fmt.Sprintf("At %s × the load, an affinity of %s gives %s with %s of the tokens found, the highest (%s) %s with %s at an imbalance of %s; policies by load give %s.",
			figure.Plain(l.Speed), figure.Plain(l.Affinity), figure.Millis(l.TTFT), figure.Percent(l.Hit), figure.Plain(h.Affinity), figure.Millis(h.TTFT), figure.Percent(h.Hit), figure.Decimal(h.Imbalance, 2), figure.Millis(l.ByLoad)))
	}
	return lead, findings
}

// surface is the mean TTFT by affinity and load.
func surface(byAffinity, bySpeed []grouped) report.Grid {
	grid := report.Grid{Title: "Mean time to the first token, and how much more it is than the best of its column", X: "load", Y: "affinity"}
	for _, s := range bySpeed {
		grid.Columns = append(grid.Columns, "× "+figure.Plain(s.value))
	}
	for _, a := range byAffinity {
		row := report.GridRow{Name: figure.Plain(a.value)}
		for _, p := range a.points {
			row.Cells = append(row.Cells, report.Cell{Text: fmt.Sprintf("%s, +%.0f %%", figure.Millis(p.TTFT), 100*p.Regret), Good: 1 - 2*math.Min(p.Regret/0.5, 1), Best: p.Regret == 0})
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}

// alongAffinity is a plot of what each setting costs, and one of what caches save, a line for each load.
func alongAffinity(bySpeed []grouped) ([]*report.Plot, error) {
	var hits, regrets []report.Line
	for _, s := range bySpeed {
		h, r := report.Line{Name: "load × " + figure.Plain(s.value)}, report.Line{Name: "load × " + figure.Plain(s.value)}
		for i, p := range s.points {
			x := float64(i)
			h.X, h.Y = append(h.X, x), append(h.Y, 100*p.Hit)
			r.X, r.Y = append(r.X, x), append(r.Y, 100*p.Regret)
		}
		hits, regrets = append(hits, h), append(regrets, r)
	}
	axis := "affinity, row of the grid above"
	first, err := report.Lines(report.LineChart{Title: "What a setting costs more than the best at that load", X: axis, Y: "% more", Dots: true, Half: true, Lines: regrets})
	if err != nil {
		return nil, err
	}
	second, err := report.Lines(report.LineChart{Title: "Prompt tokens found in caches", X: axis, Y: "%", Dots: true, Half: true, Lines: hits})
	return []*report.Plot{first, second}, err
}

func tradeoffTable(points []TradeoffPoint) report.Table {
	t := report.Table{Title: "Every setting", Columns: []string{"load", "affinity", "TTFT mean ms", "more than best", "hit rate", "imbalance", "by load, ms"}}
	for _, p := range points {
		t.Rows = append(t.Rows, []string{"× " + figure.Plain(p.Speed), figure.Plain(p.Affinity), figure.Decimal(p.TTFT, 1), figure.Decimal(100*p.Regret, 1) + "%", figure.Decimal(100*p.Hit, 1) + "%", figure.Decimal(p.Imbalance, 3), figure.Decimal(p.ByLoad, 1)})
	}
	return t
}

// grouped is the points of one value, in their order.
type grouped struct {
	value  float64
	points []TradeoffPoint
}

func group(points []TradeoffPoint, by func(TradeoffPoint) float64) (groups []grouped) {
	place := map[float64]int{}
	for _, p := range points {
		v := by(p)
		at, ok := place[v]
		if !ok {
			at = len(groups)
			place[v] = at
			groups = append(groups, grouped{value: v})
		}
		groups[at].points = append(groups[at].points, p)
	}
	return groups
}
