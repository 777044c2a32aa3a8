package route

import (
	"slices"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
)

// keepRank makes the order one of servers: where a server's data-parallel ranks are endpoints (config.RankAddress), the proxy's next try goes to
// another server, and names the same rank, or none. The first stays; behind it come the other servers in the order in which the policy has
// them, then the least busy ones.
func (v *view) keepRank(n int, d *decision.Decision) {
	server, rank := config.SplitRank(v.pool.Endpoints[d.Order[0]].Address)
	v.least = append(v.least[:0], d.Order[1:]...)
	order := d.Order[:1]
	taken := func(of string) bool {
		return of == server || slices.ContainsFunc(order[1:], func(e int) bool { return v.pool.Endpoints[e].Server() == of })
	}
	for _, e := range v.least {
		if of := v.pool.Endpoints[e].Server(); !taken(of) {
			if rank != "" {
				e = v.rankOf(of, rank)
			}
			if e >= 0 {
				order = append(order, e)
			}
		}
	}
	for len(order) < n {
		best := -1
		for i := range v.all {
			of, its := config.SplitRank(v.pool.Endpoints[i].Address)
			if rank != "" && its != rank || v.all[i].Class == pool.Absent || taken(of) {
				continue
			}
			if best < 0 || v.all[i].Class < v.all[best].Class || v.all[i].Class == v.all[best].Class && v.all[i].Requests < v.all[best].Requests {
				best = i
			}
		}
		if best < 0 {
			break
		}
		order = append(order, best)
	}
	d.Order = order
}

// rankOf is the endpoint that is a server's rank; −1: there is none.
func (v *view) rankOf(server, rank string) int {
	for i := range v.all {
		if of, its := config.SplitRank(v.pool.Endpoints[i].Address); its == rank && of == server && v.all[i].Class != pool.Absent {
			return i
		}
	}
	return -1
}
