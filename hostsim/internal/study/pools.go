package study

import (
	"fmt"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
)

// PoolTable has a row for each pool of each run; no rows: the runs have none.
func PoolTable(runs []*replay.Result) *report.Table {
	t := &report.Table{Title: "By pool", Columns: []string{"policy", "pool", "requests", "hit rate", "TTFT mean ms", "P95", "adapter loads"}}
	for _, r := range runs {
		for _, p := range r.Pools {
			t.Rows = append(t.Rows, []string{r.Policy, p.Name, fmt.Sprint(p.Requests), Percent(p.TokenHitRatio),
				decimal(p.TTFT.Mean, 1), decimal(p.TTFT.P95, 1), fmt.Sprint(p.AdapterLoads)})
		}
	}
	return t
}
