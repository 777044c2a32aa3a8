package gossip

import "warmroute/plugin/news"

// peer is another gateway, or this one, by its address.
type peer struct {
	address     string
	incarnation uint64   // 0: it has never answered
	at          []uint64 // positions in its logs
	ask         news.Ask // the last one
	due         int64    // nanoseconds
	began       int64    // when it was last asked
	until       int64    // while it is asked: when that counts as lost; else 0
	heard       int64    // when it last answered
	failures    int      // since then
	sped        int64    // when it last gave its speeds
	empty       bool     // it has no snapshot to give
	again       bool     // what it tells may have been told before: it is asked without positions, and others have told something
	renewed     bool     // since it was asked: where its answer ends says nothing
	secret      int      // that it is asked under
}

// sorted puts a few addresses in order, each once, by insertion: slices.Sort is 6 KB of the module.
func sorted(addresses []string) []string {
	kept := addresses[:0]
	for _, address := range addresses {
		at := len(kept)
		for at > 0 && address < kept[at-1] {
			at--
		}
		if at == 0 || kept[at-1] != address {
			kept = append(kept, "")
			copy(kept[at+1:], kept[at:])
			kept[at] = address
		}
	}
	return kept
}

// SetPeers sets the addresses of all gateways; this one may be among them.
func (g *Gossip) SetPeers(addresses []string, now int64) {
	if g.since == 0 {
		g.since = now
	}
	addresses = sorted(addresses)
	same := len(addresses) == len(g.peers)
	for i := 0; same && i < len(addresses); i++ {
		same = addresses[i] == g.peers[i].address
	}
	if same {
		return
	}
	old := g.peers
	g.peers, g.self = nil, -1
	g.epoch++
	g.hold = holdOf(g.interval, len(addresses))
	for _, address := range addresses {
		p := peer{address: address, due: now}
		for i := range old {
			if old[i].address == address {
				p = old[i]
				p.until = 0
			}
		}
		g.peers = append(g.peers, p)
	}
	for i := range g.peers {
		if g.isSelf(i) {
			g.self = i
		}
	}
	g.choose()
}

func (g *Gossip) isSelf(i int) bool { return g.peers[i].incarnation == g.own }

// exhausted says whether no other gateway has a snapshot to give: all have said so.
func (g *Gossip) exhausted() bool {
	for i := range g.peers {
		if p := &g.peers[i]; !g.isSelf(i) && (!p.empty || p.heard == 0 || p.failures > 0) {
			return false
		}
	}
	return true
}

func (g *Gossip) isPeer(incarnation uint64) bool {
	for i := range g.peers {
		if g.peers[i].incarnation == incarnation {
			return true
		}
	}
	return false
}

// waiting says whether another gateway is being asked.
func (g *Gossip) waiting() bool {
	for i := range g.peers {
		if g.peers[i].until != 0 {
			return true
		}
	}
	return false
}
