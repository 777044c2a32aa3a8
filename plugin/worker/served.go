package worker

import (
	"strings"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// serve moves the count if another endpoint than the first responds: after a retry, because those before it in the order
// failed, or because the proxy chose another one itself.
func (x *Exchange) serve(from Server, good bool, now int64) {
	if from.Address == "" || from.Address == x.Server() {
		return
	}
	x.served, x.described = from.Address, 0
	p, d := x.pool.known, &x.decision
	if p == nil {
		x.address = from.Address
		return
	}
	rank, i := x.Rank(), -1 // which the request names to whatever server it comes to; it counts at another one if that has not this
	for k := range p.Endpoints {
		server, its := config.SplitRank(p.Endpoints[k].Address)
		if server == from.Address && p.Present(k) && (i < 0 || its == rank) {
			i = k
		}
	}
	if i < 0 {
		if x.pool.cfg.Steer.Target == config.TargetEndpoint && ofOneKind(from.Address, x.Server()) { // a cluster of one endpoint may have it by another address
			x.stray(from.Address, now)
		}
		return
	}
	x.address = p.Endpoints[i].Address
	left := d.Endpoint()
	if from.Attempts > 1 {
		p.Served(&d.Flight, d.Order, i, good, from.Client, now)
	} else {
		p.Moved(&d.Flight, i, now)
	}
	if d.Endpoint() != left {
		x.pool.board.Record(left, d.Lost(), now)
		x.pool.board.RecordRouted(i, d.Entered(), now)
	}
}

// ofOneKind says whether two addresses are of one kind. Else the second may have answered under the first: a host may have an address of each
// family, and a tunnel's end is none of IP (envoy://LISTENER/…).
func ofOneKind(a, b string) bool {
	return strings.HasPrefix(a, "[") == strings.HasPrefix(b, "[") && !strings.Contains(a, "/") && !strings.Contains(b, "/")
}

// stray takes the request out of the pool: what responds is not in it, because a part of the route's requests goes to another cluster, say, or
// because it has just joined or left. What it shows of caches, speed and health is not true of the endpoint that was chosen.
func (x *Exchange) stray(address string, now int64) {
	x.address, x.strayed, x.naming = address, true, false
	x.pool.known.End(&x.decision.Flight, now, pool.Outcome{Ending: health.Cancelled, Lost: true})
	x.pool.board.RecordEnd(&x.decision.Flight, now)
	x.pool.tellEnd(now)
}
