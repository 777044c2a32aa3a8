package route

import (
	"slices"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
)

// keepRank makes the order one of servers: where a server's data-parallel ranks are endpoints (config.RankAddress), the proxy's next try goes to
// another server, and names the same rank, or none. The first stays; behind it come the other servers in the order in which the policy has
// them, then the least busy ones, those that serve the model first.
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
			if best < 0 || v.outranks(i, best) {
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

// outranks says whether endpoint i is to be tried before another: of those that serve the model, as far as is known, and are well, the less busy one.
func (v *view) outranks(i, other int) bool {
	a, b := &v.all[i], &v.all[other]
	if has := v.class[i] != unable; has != (v.class[other] != unable) {
		return has
	}
	return a.Class < b.Class || a.Class == b.Class && a.Requests < b.Requests
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
