package gossip

// A gateway that is asked and has nothing new keeps the ask until it has: until one of its workers routes a request or sees a first
// token. So others know of it as soon as an answer takes, and two that have nothing to tell ask each other rarely. What that costs
// has a bound: of so many answers a second, and as many asks. Beyond them an ask waits for the next tick, as if gateways asked
// each interval.

const (
	mostHold = 1e9 // nanoseconds

	// perSecond is the answers of a gateway that are not left for the next tick: with as many asks, at most some 5 % of a core
	perSecond = 100
	inARow    = 32 // after a pause
	twice     = 2  // as many asks, so that it is the answers that are spaced

	// onTheWay is how old news are that are told at once, in ms: that of the network, and of both proxies.
	onTheWay = 1

	lateOver = 8 // pages over which lateness is smoothed
)

// Budget bounds how often something happens.
type Budget struct {
	Times float64 // perSecond; 0: once
	left  float64
	at    int64 // ns; 0: it has not been used
}

// Take takes one, if there is one left.
func (b *Budget) Take(now int64) bool {
	if b.at == 0 || now < b.at {
		b.left = inARow
	} else {
		if b.Times == 0 {
			b.Times = 1
		}
		b.left = min(b.left+float64(now-b.at)/1e9*perSecond*b.Times, inARow)
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// holds says whether others may keep this gateway's asks. Where news are relayed, each is asked every interval.
func (g *Gossip) holds() bool { return g.whole && len(g.peers) <= direct+1 }

// lag is how old news are when they come, in ms; 0: as old as the time since others were asked.
func (g *Gossip) lag() int64 {
	if !g.holds() {
		return 0
	}
	return int64(g.late + onTheWay + 0.5)
}

// noteLate takes how old the entries of a page were.
func (g *Gossip) noteLate(p *peer) {
	if p.ask.Hold > 0 {
		g.late += (float64(min(g.oldest, g.interval/1e6)) - g.late) / lateOver
	}
	g.oldest = 0
}

// Patience is how long an ask may be kept, in nanoseconds, 0 where it may not; and whether there is a request to tell of.
func (g *Gossip) Patience(ask []byte, now int64) (hold int64, fresh bool, fault Fault) {
	q := &g.asked
	if err := q.Read(ask, g.key); err != nil {
		return 0, false, faultOf(err)
	}
	if q.Dialect != g.dialect {
		return 0, false, Hashing
	}
	if q.Hold == 0 || q.Snapshot || q.Relay || q.From == g.own || q.Of != g.own {
		return 0, false, ""
	}
	hold = min(q.Hold*1e6, mostHold)
	x := &g.export
	x.Begin(g.board, q.At, false, false, now)
	for range scanned {
		e, direct := x.Next(g.own)
		if e == nil {
			return hold, false, ""
		}
		if direct && e.Origin != q.From {
			break
		}
		x.Skip()
	}
	return hold, true, ""
}
