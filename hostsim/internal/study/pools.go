package study

import (
	"fmt"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
)

// PoolTable has a row for each pool of each run; no rows: the runs have none.
func PoolTable(runs []*replay.Result) *report.Table {
	t := &report.Table{Title: "By pool", Columns: []string{"policy", "pool", "requests", "hit rate", "TTFT mean ms", "P95", "adapter loads"}}
	for _, r := range runs {
		for _, p := range r.Pools {
			t.Rows = append(t.Rows, []string{r.Policy, p.Name, fmt.Sprint(p.Requests), figure.Percent(p.TokenHitRatio),
				figure.Decimal(p.TTFT.Mean, 1), figure.Decimal(p.TTFT.P95, 1), fmt.Sprint(p.AdapterLoads)})
		}
	}
	return t
}

// HalfTable has a row for each half of the replicas of each run; no rows: all replicas are alike.
func HalfTable(runs []*replay.Result) *report.Table {
	t := &report.Table{Title: "By half of the replicas", Columns: []string{"policy", "profile", "replicas", "requests", "tokens computed", "TTFT mean ms", "P95"}}
	for _, r := range runs {
		for _, h := range r.Halves {
			t.Rows = append(t.Rows, []string{r.Policy, h.Profile, fmt.Sprint(h.Replicas), fmt.Sprint(h.Requests), figure.Percent(h.Computed),
				figure.Decimal(h.TTFT.Mean, 1), figure.Decimal(h.TTFT.P95, 1)})
		}
	}
	return t
}

// JoinTable says what users saw in the time before and after replicas joined; no rows: none have.
func JoinTable(runs []*replay.Result) *report.Table {
	t := &report.Table{Title: "Replicas that joined", Columns: []string{"policy", "TTFT mean ms before", "P99", "after", "P99", "at those that joined", "P99", "their requests", "fair"}}
	for _, r := range runs {
		if j := r.Join; j != nil {
			t.Rows = append(t.Rows, []string{r.Policy, figure.Decimal(j.Before.Mean, 1), figure.Decimal(j.Before.P99, 1), figure.Decimal(j.After.Mean, 1), figure.Decimal(j.After.P99, 1),
				figure.Decimal(j.Joined.Mean, 1), figure.Decimal(j.Joined.P99, 1), figure.Percent(j.Requests), figure.Percent(j.Fair)})
		}
	}
	return t
}

// ZoneTable says what crossed zones; no rows: there is one zone.
func ZoneTable(runs []*replay.Result) *report.Table {
	t := &report.Table{Title: "Zones", Columns: []string{"policy", "zones", "requests that cross", "prompt tokens", "TTFT mean ms within", "P95", "across", "P95"}}
	for _, r := range runs {
		if z := r.Zones; z != nil {
			t.Rows = append(t.Rows, []string{r.Policy, fmt.Sprint(z.Zones), figure.Percent(z.Requests), figure.Percent(z.Tokens),
				figure.Decimal(z.Near.Mean, 1), figure.Decimal(z.Near.P95, 1), figure.Decimal(z.Far.Mean, 1), figure.Decimal(z.Far.P95, 1)})
		}
	}
	return t
}
