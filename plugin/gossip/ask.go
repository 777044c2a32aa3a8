package gossip

import (
	"warmroute/plugin/news"
)

// Call is an ask to be sent.
type Call struct {
	Peer    int // index, for Answered
	Address string
	Header  string // value of the header that carries the ask
	Hold    int64  // ns that the answer may wait for something to tell
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
		g.number++
		p.ask = news.Ask{
			From: g.own, Number: g.number, Dialect: g.dialect, Of: p.incarnation, At: p.at,
			Snapshot: !g.whole, Relay: len(g.peers) > direct+1,
		}
		if g.holds() {
			p.ask.Hold = g.hold / 1e6
			p.ask.Speeds = now-p.sped >= speedsEvery || now < p.sped
		}
		p.began, p.until = now, now+g.timeout+askGrace+p.ask.Hold*1e6
		g.buffer = p.ask.Append(g.buffer[:0], g.key)
		return Call{i, p.address, news.Hex(g.buffer), p.ask.Hold * 1e6}, true
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

// failed lets a gateway that gave no news be asked ever more rarely.
func (g *Gossip) failed(p *peer, now int64) {
	p.until = 0
	p.failures++
	p.due = now + min(g.interval<<min(p.failures, 10), longestWait)
	p.empty = true
}

// Fault is what was wrong with an answer, or an ask. "" is nothing.
type Fault string

// The faults.
const (
	NoAnswer Fault = "no_answer" // none came
	Refused  Fault = "refused"   // its answer was an error: it has no such path, no secret, or another one
	Version  Fault = "version"   // of the format
	Hashing  Fault = "dialect"   // it hashes prompts otherwise
	Secret   Fault = "secret"    // the code is wrong
	Format   Fault = "format"    // of no known form
	Unknown  Fault = "pool"      // there is no such pool here, but may be later
)

// What a bundle of answers says of one of them, as a status that no HTTP answer has: it has a code, and so is not for anybody
// on the way to say.
const (
	NoPool  = -1 - iota // the other gateway has no such pool yet
	Later               // it answers with the next ask
	Newer               // the bundle is of another version
	Forged              // the bundle's code is wrong
	Foreign             // the bundle is of no known form
)

// faultOfStatus is the fault of an answer that is not 200.
func faultOfStatus(status int) Fault {
	switch status {
	case Newer:
		return Version
	case Forged:
		return Secret
	case Foreign:
		return Format
	case 0, 502, 503, 504:
		return NoAnswer
	}
	return Refused
}

func faultOf(err error) Fault {
	switch err {
	case nil:
		return ""
	case news.ErrVersion:
		return Version
	case news.ErrDialect:
		return Hashing
	case news.ErrSecret:
		return Secret
	}
	return Format
}

// Answered takes the answer to the ask that peer i was sent under the present Epoch: an HTTP status, 0 for none, or a
// bundle's word; and a body.
func (g *Gossip) Answered(i, status int, page []byte, now int64) Fault {
	if i >= len(g.peers) || g.peers[i].until == 0 {
		return ""
	}
	p := &g.peers[i]
	if status == NoPool || status == Later {
		p.until, p.heard, p.failures, p.due = 0, now, 0, p.began+g.interval
		p.empty = status == NoPool && p.ask.Snapshot
		return ""
	}
	if status != 200 {
		g.failed(p, now)
		return faultOfStatus(status)
	}
	g.stats.BytesIn += len(page)
	if err := g.reader.Begin(page, &p.ask, g.key); err != nil {
		g.failed(p, now)
		return faultOf(err)
	}
	if g.reader.From == g.own {
		g.self, p.incarnation, p.until, p.due = i, g.own, 0, now+forgetAfter
		return ""
	}
	return g.read(p, now)
}

// read takes over a page.
func (g *Gossip) read(p *peer, now int64) Fault {
	r := &g.reader
	if p.incarnation != r.From { // another gateway, or the same one restarted
		g.drop(p.incarnation)
		p.incarnation, p.at = r.From, p.at[:0]
	}
	for {
		switch r.Next() {
		case news.LoadRecord:
			g.takeLoad(p, now)
		case news.EntryRecord:
			g.takeEntry(p, now)
		case news.SpeedRecord:
			g.takeSpeeds(p, now)
		case news.End:
			p.at = append(p.at[:0], r.At...)
			g.finish(p, now)
			return ""
		default:
			p.at = p.at[:0]
			g.failed(p, now)
			return Format
		}
	}
}

// finish records that a page was read to its end.
func (g *Gossip) finish(p *peer, now int64) {
	p.until, p.heard, p.failures = 0, now, 0
	p.due = p.began + g.interval
	if !g.reader.More && p.ask.Snapshot && g.reader.Whole {
		g.whole = true
	}
	if (g.reader.More || g.holds()) && g.asks.Take(now, asksMost) { // one that has always more is asked no oftener than others
		p.due = now
	}
	g.noteLate(p)
	p.empty = p.ask.Snapshot && !g.reader.Whole
	if g.holds() || !g.waiting() {
		g.publish(now)
	}
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

// takeLoad takes over a gateway's load, if it is newer than what is known. Each speaks for itself, where none relays.
func (g *Gossip) takeLoad(p *peer, now int64) {
	r := &g.reader
	if r.Gateway == g.own || !p.ask.Relay && r.Gateway != r.From {
		return
	}
	o := g.origin(r.Gateway)
	if o == nil {
		return
	}
	if at := now - r.Age*1e6; at > o.at || o.at > now {
		o.at, o.given = at, r.Given
		o.loads = o.loads[:0]
		for i := range r.Loads {
			if g.board.Endpoint(r.Loads[i].Address) >= 0 {
				o.loads = append(o.loads, r.Loads[i])
			}
		}
	}
}

// takeEntry takes over an entry. Of gateways whose entries come by several ways, one way is believed.
func (g *Gossip) takeEntry(p *peer, now int64) {
	e := &g.reader.Entry
	if e.Origin == g.own {
		return
	}
	relayed := e.Origin != p.incarnation
	if !p.ask.Snapshot && p.ask.Relay {
		o := g.origin(e.Origin)
		if o == nil {
			return
		}
		if !relayed || o.via == "" || now-o.viaAt > fadeFor || now < o.viaAt {
			o.via = p.address
		}
		if o.via != p.address {
			return
		}
		o.viaAt = now
	}
	if !relayed && !e.Lost && len(p.ask.At) > 0 {
		g.oldest = max(g.oldest, e.Age)
	}
	g.budget--
	if !g.board.RecordRemote(g.next, e, relayed, now) {
		g.stats.Unknown++
		return
	}
	g.next++
	g.stats.Entries++
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
