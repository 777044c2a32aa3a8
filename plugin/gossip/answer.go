package gossip

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/news"
)

// open reads an ask into asked, and finds the key that it is under.
func (g *Gossip) open(ask []byte) Fault {
	var err error
	for _, g.under = range g.keys {
		if err = g.asked.Read(ask, g.under); err != news.ErrSecret {
			break
		}
	}
	if err == nil && g.asked.Dialect != g.dialect {
		err = news.ErrDialect
	}
	return faultOf(err)
}

// Answer makes the page that answers an ask; it is valid until the next one. With a fault there is none. The key is the ask's and the page's;
// an ask of another dialect has one, too.
func (g *Gossip) Answer(ask []byte, now int64) (page []byte, key news.Key, fault Fault) {
	q, w := &g.asked, &g.writer
	if fault = g.open(ask); fault != "" {
		return nil, g.under, fault
	}
	g.stats.Answers++
	_, whole := g.board.ResumeGateways()
	w.Begin(g.own, q, whole)
	if q.From == g.own {
		return g.end(nil, false), g.under, ""
	}
	g.board.ReadPeers(now)
	at := q.At
	if q.Of != g.own {
		at = nil
	}
	x := &g.export
	x.Begin(g.board, at, q.Snapshot, q.Snapshot || q.Relay, now)
	w.Expect(x.Logs())
	sped := q.Speeds && g.ownSpeeds(now)
	later := w.Crowded() // of many endpoints the load comes with the next page
	if !later {
		g.ownLoad(now)
		if q.Relay {
			g.relayLoads(now)
		}
	}
	for range scanned {
		e, direct := x.Next(g.own)
		if e == nil {
			break
		}
		if wanted := e.Origin != q.From && (direct || q.Snapshot); wanted && !w.Entry(e) {
			if w.Entries() > 0 || sped || loadFirst(q.Number) {
				break
			}
			w.Begin(g.own, q, whole) // a long entry goes alone, and one that is too long for any page is left out
			w.Expect(x.Logs())
			w.Entry(e)
			later = true
		}
		x.Skip()
	}
	return g.end(x.Positions(), x.More() || later), g.under, ""
}

// loadFirst says, of about half of the asks, that an entry which does not fit beside the load waits for the next page; in answers to the
// others the load waits. Else, where such entries come all the time, one would never come. The asks of one gateway are as far apart as
// it asks others in between, and whatever the distance is, neither is to wait for long: the hash mixes all bits.
func loadFirst(number uint64) bool { return bytestr.Hash(number, nil)&1 == 0 }

func (g *Gossip) end(at []uint64, more bool) []byte {
	page := g.writer.End(at, more, g.under)
	g.stats.BytesOut += len(page)
	return page
}

// ownLoad writes this proxy's load.
func (g *Gossip) ownLoad(now int64) {
	p := g.pool
	g.busy = g.busy[:0]
	for i := range p.Endpoints {
		work, line := p.ProxyLoad(i, now)
		if p.Present(i) && (p.InFlight(i) > 0 || line.Queued >= 1 || work >= 1) {
			g.busy = append(g.busy, i)
		}
	}
	g.held = p.AtGateways.Proxy(g.held)
	g.tells = g.tells[:0]
	for _, h := range g.held {
		g.tells = append(g.tells, news.Hold{Group: h.Group, Requests: h.Requests, Size: h.First.Size, Waited: (now - h.First.Since) / 1e6})
	}
	g.writer.Load(g.own, 0, p.ProxyRequests(now), g.tells, len(g.busy), func(n int) (string, news.Load) {
		i := g.busy[n]
		work, line := p.ProxyLoad(i, now)
		return p.Endpoints[i].Address, news.Load{
			InFlight: p.InFlight(i), Queued: line.Queued, Work: work,
			Waiting: line.Waiting, Begun: (now - line.Begun) / 1e6, Ended: (now - line.Ended) / 1e6,
		}
	})
}

// relayLoads writes the loads of the gateways that this one has asked, as they were published by the worker that asks.
func (g *Gossip) relayLoads(now int64) {
	value, _, ok := g.store.Get(g.loadKey)
	if !ok || g.reader.Begin(value, &relayAsk, g.keys[0]) != nil {
		return
	}
	// The first record's age is when the page was written.
	written := int64(0)
	for kind := g.reader.Next(); kind == news.LoadRecord; kind = g.reader.Next() {
		r := &g.reader
		if r.Gateway == g.own {
			written = r.Age
			continue
		}
		if r.Gateway == g.asked.From {
			continue
		}
		if g.writer.Crowded() {
			return // the others come first the next time
		}
		g.writer.Load(r.Gateway, r.Age+max(clock(now)-written, 0), r.Given, r.Holds, len(r.Loads), func(n int) (string, news.Load) {
			return r.Loads[n].Address, r.Loads[n].Load
		})
	}
}

// clock is a time in ms, as far as an age has room for it: that of the year 2004 had too many bits. It wraps around every 17 years.
func clock(now int64) int64 { return now / 1e6 & (1<<39 - 1) }

// relayAsk is what the published loads answer, in a page that stays in this proxy.
var relayAsk = news.Ask{}

// publishLoads publishes the loads of the gateways that this one has asked itself, for relayLoads.
func (g *Gossip) publishLoads(now int64) {
	w := &g.writer
	w.Begin(g.own, &relayAsk, false)
	w.Load(g.own, clock(now), 0, nil, 0, nil)
	g.turn++
	for i := range g.origins { // where not all fit, others come first each time
		o := &g.origins[(uint(i)+g.turn)%uint(len(g.origins))]
		if !g.isPeer(o.incarnation) || now-o.at > fadeFor {
			continue
		}
		w.Load(o.incarnation, (now-o.at)/1e6, o.given, o.holds, len(o.loads), func(n int) (string, news.Load) {
			return o.loads[n].Address, o.loads[n].Load
		})
	}
	g.store.Set(g.loadKey, w.End(nil, false, g.keys[0]), 0)
}
