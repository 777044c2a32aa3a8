package gossip

import "warmroute/plugin/news"

// What a page has is taken over as it is read.

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
		fault := faultOfStatus(status)
		if fault == Refused && g.refused(p, now) {
			return ""
		}
		g.failed(p, now)
		return fault
	}
	if g.budget <= 0 { // other workers would miss what this one took over beyond; it is asked for again
		p.until, p.heard, p.failures, p.due = 0, now, 0, now
		return ""
	}
	g.stats.BytesIn += len(page)
	if err := g.reader.Begin(page, &p.ask, g.keys[p.secret]); err != nil {
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
		if p.incarnation != 0 {
			p.secret = 0 // it may have learned the first
		}
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
	if p.renewed {
		p.at, p.renewed = p.at[:0], false
	}
	p.due = p.began + g.interval
	if !g.reader.More && p.ask.Snapshot && g.reader.Whole {
		g.whole = true
	}
	if (g.reader.More || g.holds()) && g.asks.Take(now, asksMost) { // one that has always more is asked no oftener than others
		p.due = now
	}
	g.noteLate(p)
	p.empty = p.ask.Snapshot && !g.reader.Whole
	p.again = p.again && g.reader.More
	if g.holds() || !g.waiting() {
		g.publish(now)
	}
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
		o.at, o.given, o.holds = at, r.Given, append(o.holds[:0], r.Holds...)
		last := o.loads // mostly of the same endpoints
		o.loads = o.loads[:0]
		for i := range r.Loads {
			l := load{r.Loads[i], -1}
			if k := len(o.loads); k < len(last) {
				l.index = last[k].index
			}
			if g.endpoint(&l) >= 0 {
				o.loads = append(o.loads, l)
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
	if !relayed && e.IsSent() && len(p.ask.At) > 0 {
		g.oldest = max(g.oldest, e.Age)
	}
	if p.again && !e.Again() {
		return
	}
	g.budget--
	if !g.board.RecordRemote(g.next, e, relayed, now) {
		g.stats.Unknown++
		return
	}
	g.next++
	g.stats.Entries++
}
