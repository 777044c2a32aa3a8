package replaypage

import (
	"fmt"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
)

// Tables are what a terminal shows: a row for each run, and by pool, half, zone and time of joining where the runs have such.
func (c *Comparison) Tables() []report.Table {
	out := []report.Table{c.table()}
	for _, t := range []report.Table{pools(c.Runs), halves(c.Runs), joins(c.Runs), changes(c.Runs), zones(c.Runs)} {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// table is a row for each run.
func (c *Comparison) table() report.Table {
	t := report.Table{
		Title: c.Title, Note: c.Note,
		Columns: []string{"policy", "hit rate", "imbalance", "TTFT mean ms", "P50", "P95", "P99", "TPOT mean ms", "goodput/s"},
	}
	for _, r := range c.Runs {
		t.Rows = append(t.Rows, []string{r.Policy, figure.Decimal(100*r.TokenHitRatio, 1) + "%", figure.Decimal(r.Imbalance, 3), figure.Decimal(r.TTFT.Mean, 1),
			figure.Decimal(r.TTFT.P50, 1), figure.Decimal(r.TTFT.P95, 1), figure.Decimal(r.TTFT.P99, 1), figure.Decimal(r.TPOT.Mean, 2), figure.Decimal(r.GoodputRPS, 2)})
	}
	return t
}

// pools has a row for each pool of each run; no rows: the runs have none.
func pools(runs []*replay.Result) report.Table {
	t := report.Table{Title: "By pool", Columns: []string{"policy", "pool", "requests", "hit rate", "TTFT mean ms", "P95", "adapter loads"}}
	for _, r := range runs {
		for _, p := range r.Pools {
			t.Rows = append(t.Rows, []string{r.Policy, p.Name, fmt.Sprint(p.Requests), figure.Percent(p.TokenHitRatio),
				figure.Decimal(p.TTFT.Mean, 1), figure.Decimal(p.TTFT.P95, 1), fmt.Sprint(p.AdapterLoads)})
		}
	}
	return t
}

// halves has a row for each half of the replicas of each run; no rows: all replicas are alike.
func halves(runs []*replay.Result) report.Table {
	t := report.Table{Title: "By half of the replicas", Columns: []string{"policy", "profile", "replicas", "requests", "tokens computed", "TTFT mean ms", "P95"}}
	for _, r := range runs {
		for _, h := range r.Halves {
			t.Rows = append(t.Rows, []string{r.Policy, h.Profile, fmt.Sprint(h.Replicas), fmt.Sprint(h.Requests), figure.Percent(h.Computed),
				figure.Decimal(h.TTFT.Mean, 1), figure.Decimal(h.TTFT.P95, 1)})
		}
	}
	return t
}

// joins says what users saw in the time before and after replicas joined; no rows: none have.
func joins(runs []*replay.Result) report.Table {
	t := report.Table{Title: "Replicas that joined", Columns: []string{"policy", "TTFT mean ms before", "P99", "after", "P99", "at those that joined", "P99", "their requests", "fair"}}
	for _, r := range runs {
		if j := r.Join; j != nil {
			t.Rows = append(t.Rows, []string{r.Policy, figure.Decimal(j.Before.Mean, 1), figure.Decimal(j.Before.P99, 1), figure.Decimal(j.After.Mean, 1), figure.Decimal(j.After.P99, 1),
				figure.Decimal(j.Joined.Mean, 1), figure.Decimal(j.Joined.P99, 1), figure.Percent(j.Requests), figure.Percent(j.Fair)})
		}
	}
	return t
}

// changes says what users saw before, while and after replicas joined and left; no rows: none have.
func changes(runs []*replay.Result) report.Table {
	t := report.Table{Title: "Replicas that joined and left", Columns: []string{"policy", "joined, left", "TTFT mean ms before", "P99", "hits", "until the last had", "P99", "hits", "after", "P99", "hits"}}
	for _, r := range runs {
		if c := r.Changes; c != nil {
			row := []string{r.Policy, fmt.Sprintf("%d, %d", c.Joined, c.Left)}
			for i, d := range c.TTFT {
				row = append(row, figure.Decimal(d.Mean, 1), figure.Decimal(d.P99, 1), figure.Percent(c.Hits[i]))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// zones says what crossed zones; no rows: there is one zone.
func zones(runs []*replay.Result) report.Table {
	t := report.Table{Title: "Zones", Columns: []string{"policy", "zones", "requests that cross", "prompt tokens", "TTFT mean ms within", "P95", "across", "P95"}}
	for _, r := range runs {
		if z := r.Zones; z != nil {
			t.Rows = append(t.Rows, []string{r.Policy, fmt.Sprint(z.Zones), figure.Percent(z.Requests), figure.Percent(z.Tokens),
				figure.Decimal(z.Near.Mean, 1), figure.Decimal(z.Near.P95, 1), figure.Decimal(z.Far.Mean, 1), figure.Decimal(z.Far.P95, 1)})
		}
	}
	return t
}
