package gossip

import (
	"warmroute/plugin/news"
)

// freshBits are the bits of an ask's number below the time, ms. A number grows from ask to ask, whichever worker asks: one that does not was
// sent before (worker.Asks). And no other gateway has it: else an answer to one would be one to the other.
const freshBits = 22

// Call is an ask to be sent.
type Call struct {
	Peer    int // index, for Answered
	Address string
	Header  string // value of the header that carries the ask
	Hold    int64  // ns that the answer may wait for something to tell
	Secret  int    // that it is under, of this gateway's
}

// Ask is the next ask that is due; false if there is none.
func (g *Gossip) Ask(now int64) (c Call, ok bool) {
	if !g.leads || g.budget <= 0 {
		return c, false
	}
	for i := range g.peers {
		p := &g.peers[i]
		if !g.wanted[i] || now < p.until || now < p.due {
			continue
		}
		if p.until != 0 { // it was lost
			g.failed(p, now)
			if now < p.due {
				continue
			}
		}
		if !g.whole && g.snapshotting(i, now) {
			continue
		}
		g.number = max(g.number+1, uint64(now)/1e6<<freshBits|g.fresh)
		if len(p.at) == 0 {
			p.again = g.next > 1
		}
		p.ask = news.Ask{
			From: g.own, Number: g.number, Dialect: g.dialect, Of: p.incarnation, At: p.at,
			Snapshot: !g.whole, Relay: len(g.peers) > direct+1,
		}
		if g.holds() {
			p.ask.Hold = g.hold / 1e6
		}
		p.ask.Speeds = g.whole && (now-p.sped >= speedsEvery || now < p.sped)
		p.began, p.until = now, now+g.timeout+askGrace+p.ask.Hold*1e6
		g.buffer = p.ask.Append(g.buffer[:0], g.keys[p.secret])
		return Call{i, p.address, news.Hex(g.buffer), p.ask.Hold * 1e6, p.secret}, true
	}
	return c, false
}

// snapshotting says whether peer i has to wait, because a snapshot is being read from another one.
func (g *Gossip) snapshotting(i int, now int64) bool {
	for k := range g.peers {
		if k != i && now < g.peers[k].until && !g.isSelf(k) {
			return true
		}
	}
	return g.peers[i].empty
}

// Unsent records that an ask could not be sent.
func (g *Gossip) Unsent(i int, now int64) { g.failed(&g.peers[i], now) }

// refused lets a gateway that knows the ask's secret not, or its path, be asked under the next at once; false: it was asked under each.
func (g *Gossip) refused(p *peer, now int64) bool {
	p.secret = (p.secret + 1) % len(g.keys)
	if p.secret == 0 {
		return false
	}
	p.until, p.due = 0, now
	return true
}

// failed lets a gateway that gave no news be asked ever more rarely.
func (g *Gossip) failed(p *peer, now int64) {
	p.until = 0
	p.failures++
	p.due = now + min(g.interval<<min(p.failures, 10), longestWait)
	p.empty = true
}
