package gossip

import (
	"warmroute/plugin/news"
	"warmroute/plugin/traffic"
)

// origin is a gateway whose news arrive, from itself or by way of another.
type origin struct {
	incarnation uint64
	at          int64  // of its load
	via         string // address that its entries are taken from
	viaAt       int64  // when the last came
	given       float64
	loads       []load
	holds       []news.Hold
	speeds      []news.Speed
	spedAt      int64 // ns: when it told them
	habits      traffic.Habits
}

// load is what a gateway has at an endpoint, whose index in the pool was once that.
type load struct {
	news.EndpointLoad
	index int
}

// endpoint is its index now; −1: it is not in the pool.
func (g *Gossip) endpoint(l *load) int {
	if !g.board.IsEndpoint(l.index, l.Address) {
		l.index = g.board.Endpoint(l.Address)
	}
	return l.index
}

// forget drops gateways that have been silent for long.
func (g *Gossip) forget(now int64) {
	kept := g.origins[:0]
	for _, o := range g.origins {
		if now-o.at <= forgetAfter || now-o.viaAt <= forgetAfter {
			kept = append(kept, o)
		}
	}
	clear(g.origins[len(kept):])
	g.origins = kept
}

// origin is what is known of a gateway; nil if there are too many.
func (g *Gossip) origin(incarnation uint64) *origin {
	for i := range g.origins {
		if g.origins[i].incarnation == incarnation {
			return &g.origins[i]
		}
	}
	if len(g.origins) == news.MaxGateways {
		return nil
	}
	g.origins = append(g.origins, origin{incarnation: incarnation})
	return &g.origins[len(g.origins)-1]
}

// drop forgets a gateway that has ended.
func (g *Gossip) drop(incarnation uint64) {
	for i := range g.origins {
		if last := len(g.origins) - 1; g.origins[i].incarnation == incarnation {
			g.origins[i], g.origins[last] = g.origins[last], origin{}
			g.origins = g.origins[:last]
			return
		}
	}
}
