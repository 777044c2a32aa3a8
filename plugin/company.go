package main

import (
	"warmroute/plugin/others"
	"warmroute/plugin/worker"
)

// Gateways that share nothing cost their users up to three times the wait (docs/gateways.md). One that sees others' conversations in the
// caches says so once.

// companyLasts is for how long others must show, in nanoseconds: a gateway that is replaced is soon gone.
const companyLasts = int64(120e9)

// company is what is said of other gateways.
type company struct {
	of    *worker.Pool // in which they have shown; nil: in none
	since int64        // ns
	told  bool
}

// tellCompany says once that other gateways send the same conversations to a pool and tell this one nothing.
func (p *plugin) tellCompany(of *worker.Pool, t int64) {
	known, c := of.Known(), &p.company
	if c.told || p.sharesNews() || known == nil || !of.Leads() {
		return
	}
	_, scraped := known.OthersShare()
	switch shown := scraped && known.ShownCompany() >= others.Accompanied; {
	case shown && c.of == nil:
		c.of, c.since = of, t
	case !shown && c.of == of:
		c.of = nil
	case shown && c.of == of && t-c.since >= companyLasts && p.mayWarn(t):
		c.told = true
		p.warn(t, "other gateways send the same conversations to the endpoints"+of.Mention()+", and tell this one nothing: with peers in all of them less is computed again")
	}
}

// stuckAgain is after how long a page that has stopped is named again, in nanoseconds.
const stuckAgain = int64(600e9)

// tellStuck names an endpoint whose page of metrics has stopped.
func (p *plugin) tellStuck(of *worker.Pool, t int64) {
	known := of.Known()
	if known == nil || p.stuckTold != 0 && t >= p.stuckTold && t-p.stuckTold < stuckAgain || !p.mayWarn(t) {
		return
	}
	if i := known.StuckPage(); i >= 0 {
		p.stuckTold = t
		p.warn(t, "metrics of "+known.Endpoints[i].Address+" stay as they are while it answers: they are not believed until they change")
	}
}
