package gossip

// A gateway that is asked and has nothing new keeps the ask until it has: until one of its workers routes a request, sees a first
// token or the end of a response. So others know of it as soon as an answer takes, and two that have nothing to tell ask each other rarely. What that costs
// has a bound: of so many answers a second, and as many asks. Beyond them an ask waits until there may be another answer.

const (
	mostHold = 1e9 // nanoseconds
	holdEach = 3e7 // of them for each gateway: at rest a gateway asks and is asked some 30 times a second at most

	// perSecond is the answers of a gateway, whoever asks. As long as they do, each event is told by itself.
	perSecond = 200
	// fewest is how many there are where events come faster than they could be told one by one: then several go in one answer, and with
	// as many asks that takes some 5 % of a core. More are given where each of many gateways would wait for longer than interval.
	fewest   = 60
	toEach   = 20
	inARow   = perSecond // after a pause
	asksMost = 2 * perSecond

	// onTheWay is how old news are that are told at once, in ms: that of the network, and of both proxies.
	onTheWay = 1

	lateOver = 8 // pages over which lateness is smoothed
)

// Answers is how many answers a second a gateway gives that routes so many requests a second, of which so many others are to know.
//
//go:noinline
func Answers(requests float64, others int) float64 {
	least := min(max(toEach*float64(others), fewest), perSecond)
	return min(max(2*perSecond-requests*float64(others), least), perSecond)
}

// FirstTokens is the share of first tokens, 0 to 1, that such a gateway tells at once: what is left of its answers when each request
// has been told. The others are told with the next request, which comes soon then: gateways that do not know of a request send to the same
// endpoint, and of its first token the endpoint's speed tells them nearly as much.
func FirstTokens(requests float64, others int) float64 { return left(1, requests, others) }

// Ends is likewise the share of the ends of requests: what is left when their first tokens have been told, too. Clients that wait for
// an answer send their next turn as soon as it has ended. A gateway that gets that turn and does not know of the end takes the endpoint
// for fuller than it is by just these requests, and the bound of load sends the turn away from where its conversation is cached.
func Ends(requests float64, others int) float64 { return left(2, requests, others) }

// left is the share of one more event of each request that can be told, where so many others of it are told first.
func left(events, requests float64, others int) float64 {
	return min(max(perSecond/(requests*float64(others))-events, 0), 1)
}

// Budget bounds how often something happens.
type Budget struct {
	left float64
	at   int64 // ns; 0: it has not been used
}

// Take takes one, if there is one left at so many a second.
//
//go:noinline
func (b *Budget) Take(now int64, perSecond float64) bool {
	if b.From(now, perSecond) > now {
		return false
	}
	b.left--
	return true
}

// From is when there is one left.
//
//go:noinline
func (b *Budget) From(now int64, perSecond float64) int64 {
	if b.at == 0 || now < b.at {
		b.left = inARow
	} else {
		b.left = min(b.left+float64(now-b.at)/1e9*perSecond, inARow)
	}
	b.at = now
	if b.left >= 1 {
		return now
	}
	return now + int64((1-b.left)/perSecond*1e9) + 1
}

// holdOf is how long an ask may wait, in nanoseconds, with so many gateways that are asked each interval where they hold none.
func holdOf(interval int64, gateways int) int64 {
	return min(max(4*interval, int64(gateways)*holdEach), mostHold)
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
		g.late += (float64(min(g.oldest, g.hold/1e6)) - g.late) / lateOver
	}
	g.oldest = 0
}

// Patience is how long an ask may be kept, in nanoseconds, 0 where it may not; and whether there is a request to tell of that has not ended. arm is called
// before that is looked at, so that nothing is missed, and for no stranger.
func (g *Gossip) Patience(ask []byte, arm func(), now int64) (hold int64, fresh bool, fault Fault) {
	q := &g.asked
	if fault = g.open(ask); fault != "" {
		return 0, false, fault
	}
	if q.Hold == 0 || q.Snapshot || q.Relay || q.From == g.own || q.Of != g.own {
		return 0, false, ""
	}
	hold = min(q.Hold*1e6, mostHold)
	arm()
	x := &g.export
	x.Begin(g.board, q.At, false, false, now)
	for range scanned {
		e, direct := x.Next(g.own)
		if e == nil {
			return hold, false, ""
		}
		if direct && e.Origin != q.From && !e.IsEnded() { // ends wait for what is told soon
			break
		}
		x.Skip()
	}
	return hold, true, ""
}
