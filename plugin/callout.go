package main

import (
	"warmroute/plugin/complaints"
	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
	"warmroute/plugin/proxy"
	"warmroute/plugin/scout"
	"warmroute/plugin/worker"
)

// Get makes a call for the scout.
func (p *plugin) Get(c scout.Call) bool {
	var further [][2]string
	if c.Endpoint != "" { // that the cluster is to choose
		further = append(further, [2]string{config.EndpointHeader, c.Endpoint})
		if c.Header != "" {
			further = append(further, [2]string{c.Header, c.Endpoint})
		}
	}
	if c.News != "" { // an ask
		further = append(further, [2]string{gossip.Header, c.News})
	}
	made := proxy.Get(c.Cluster, c.Authority, c.Path, further, c.Timeout, func(status, size int) {
		if p.worker == nil || p.standby.Rests() {
			return
		}
		t := p.clock()
		fault := p.worker.HandleResponse(c.Token, scout.Response{Status: status, Size: size, Read: proxy.CalloutBody}, t)
		p.heard(c, fault, status == 200, t)
		p.learned(c, fault, t)
	})
	if !made {
		const fault scout.Fault = "nothing can be asked: there is no such cluster, it has no hosts, or its circuit breaker is open"
		t := proxy.Now()
		p.heard(c, fault, false, t)
		p.learned(c, fault, t)
	}
	return made
}

// heard logs what became of a call to an endpoint, if it is news. Of other calls, learned logs.
func (p *plugin) heard(c scout.Call, fault scout.Fault, answered bool, t int64) {
	if line := p.complaints.Heard(c, fault, answered, t, p.mayWarn(t)); line != "" {
		p.warn(t, line)
	}
}

// learned counts the outcome of a call.
func (p *plugin) learned(c scout.Call, fault scout.Fault, t int64) {
	if fault != "" && c.Token.Endpoint < 0 { // of endpoints heard logs
		p.warn(t, complaints.Failure(c, fault))
	}
	of := p.worker.Numbered(c.Token)
	if of == nil || c.Token.IsModels() {
		return // of several pools: each learns it by itself
	}
	if c.Token.IsGateway() {
		if fault != "" {
			p.metrics.PeerFault(fault.Reason(), c.Authority)
		}
		return
	}
	m := p.metrics.Of(of)
	switch admin := c.Token.Endpoint < 0; {
	case admin && fault == "":
		m.Discovered(t)
	case admin:
		m.Discovered(0)
	case fault != "":
		m.NotScraped(asked(of, c))
	case of.Has(c.Token.Endpoint, asked(of, c)): // what has left since it was asked is shown as read no more
		m.Scraped(asked(of, c), t)
	}
}

// asked is the endpoint whose metrics a call is for: of a server with data-parallel ranks the first, so that no address is an endpoint of
// its own that is none.
func asked(of *worker.Pool, c scout.Call) string {
	if !of.HasRank(c.Token.Endpoint) {
		return c.Authority
	}
	return config.RankAddress(c.Authority, "0")
}
