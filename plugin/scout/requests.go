package scout

import (
	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
)

// callGrace is how long after its timeout a call counts as lost, in nanoseconds.
const callGrace = 1e9

// begin says whether the poll is due, and starts it.
func (p *poll) begin(now, timeout int64) bool {
	if now < p.due || now < p.until {
		return false
	}
	p.began, p.until = now, now+timeout+callGrace
	return true
}

// end ends the poll: the next is due an interval after this one began, at once if it took longer.
//
//go:noinline
func (p *poll) end(interval int64) { p.due, p.until = p.began+interval, 0 }

// requestHosts asks Envoy which endpoints there are, if that is due.
func (s *Scout) requestHosts(now int64) {
	d := &s.cfg.Discovery
	if s.clustersPath == "" || !s.discovery.begin(now, d.Timeout) {
		return
	}
	if !s.caller.Get(Call{
		Cluster: d.AdminCluster, Authority: "admin", Path: s.clustersPath, Timeout: d.Timeout, Token: Token{Endpoint: hostsToken},
		Hosts: d.Cluster, Known: len(s.hosts),
	}) {
		s.discovery.end(d.Interval)
	}
}

// requestMetrics asks the endpoints whose metrics are due, spread over the ticks of an interval.
func (s *Scout) requestMetrics(now int64) {
	if !s.scrapes {
		return
	}
	n := len(s.pool.Endpoints)
	for len(s.polls) < n {
		s.polls = append(s.polls, poll{})
	}
	pending := 0
	for i := range s.polls {
		if s.polls[i].until > now {
			pending++
		}
	}
	tick := min(max(now-s.lastTick, 0), 1e9)
	quota := min(int(int64(n)*tick/s.cfg.Scrape.Interval)+4, maxCalls-pending)
	for step := 1; step <= n && quota > 0; step++ {
		i := (s.lastPolled + step) % n
		if !s.asksAt(i) || !s.polls[i].begin(now, s.cfg.Scrape.Timeout) {
			continue
		}
		quota--
		if quota == 0 {
			s.lastPolled = i
		}
		if !s.caller.Get(s.metricsCall(i)) {
			s.polls[i].end(s.scrapeInterval())
		}
	}
}

// metricsCall is the call for endpoint i's metrics.
func (s *Scout) metricsCall(i int) Call {
	e := &s.pool.Endpoints[i]
	server := e.Server()
	c := Call{
		Cluster: s.cfg.Scrape.Cluster, Authority: server, Path: s.cfg.Scrape.Path, Endpoint: clusters.Name(e.Listener, server),
		Timeout: s.cfg.Scrape.Timeout, Token: Token{Endpoint: i, epoch: s.roster.epoch},
	}
	if steer := &s.cfg.Steer; steer.Target == config.TargetEndpoint && steer.Header != config.EndpointHeader {
		c.Header = steer.Header
	}
	if c.Cluster == "" {
		c.Cluster, c.Endpoint = e.Cluster, ""
	}
	return c
}

// The faults of a response.
const (
	adminNoAnswer   Fault = "the admin interface gave no answer"
	adminError      Fault = "the admin interface answered with an error"
	metricsNoAnswer Fault = "an endpoint gave no answer when asked for its metrics"
	metricsError    Fault = "an endpoint answered with an error when asked for its metrics"
	metricsUnknown  Fault = "an endpoint's metrics are of no kind that is known"
	metricsRanks    Fault = "an endpoint's metrics name fewer data-parallel ranks than data_parallel_ranks, or than before: the others get no requests"
	metricsRoom     Fault = "an endpoint's data-parallel ranks have no room in the pool: it has at most 1024 endpoints, each rank being one"
)

// HandleResponse takes the response to a call. After a fault, what was known before stays in force.
func (s *Scout) HandleResponse(token Token, response Response, now int64) Fault {
	switch {
	case token.Endpoint == hostsToken:
		s.discovery.end(s.cfg.Discovery.Interval)
		return s.handleHosts(response, now)
	case token.Endpoint < 0:
		return s.handleGateway(token, response, now)
	}
	if token.models {
		return s.handleModels(token, response)
	}
	if token.Endpoint >= len(s.polls) || token.epoch != s.roster.epoch {
		return "" // the endpoint has left
	}
	s.polls[token.Endpoint].end(s.scrapeInterval())
	if !s.pool.Present(token.Endpoint) {
		return ""
	}
	if fault := response.fault(metricsNoAnswer, metricsError); fault != "" {
		if response.unreachable() { // once it is back, its counters begin anew: no worker is to believe of its cache what was there until then
			s.eachRank(token.Endpoint, func(i, _ int) { s.takePage(i, now, &exposition.Load{Has: exposition.HasCacheQueries}) })
		}
		return fault
	}
	if s.loadReader.Ranks = s.cfg.DataParallelRanks; s.learns {
		s.loadReader.Ranks = exposition.EachRank
	}
	s.loadReader.Reset()
	response.Size = min(response.Size, exposition.MaxPage) // what it says first
	response.copy(&s.loadReader)
	s.loadReader.Close()
	return s.takeRanks(token.Endpoint, now)
}

// takePage takes an endpoint's page of metrics for all workers.
func (s *Scout) takePage(endpoint int, now int64, load *exposition.Load) {
	s.pool.ApplyMetrics(endpoint, now, load)
	s.metrics.set(endpoint, now, load)
	s.unpublished = true
}

// handleHosts takes the admin interface's list of hosts.
func (s *Scout) handleHosts(response Response, now int64) Fault {
	if fault := response.fault(adminNoAnswer, adminError); fault != "" {
		return fault
	}
	if !s.leads {
		return "" // another worker leads now, and asks itself
	}
	s.hostReader.Reset(s.cfg.Discovery.Cluster)
	response.copy(&s.hostReader)
	hosts, err := s.hostReader.Close(s.hosts)
	if err != nil {
		return Fault(err.Error())
	}
	s.hosts = hosts
	s.takeHosts(hosts, s.cfg.Steer.Target == config.TargetCluster, now)
	return ""
}

// takeHosts makes the roster, and the pool, the hosts' for all workers.
func (s *Scout) takeHosts(hosts []clusters.Host, withClusters bool, now int64) {
	inUse := func(i int) bool { return s.pool.InFlight(i) > 0 }
	if !s.roster.update(s.spreadRanks(hosts), withClusters, now, inUse) {
		return
	}
	s.recallRanks()
	s.inheritModels()
	s.buffer = s.roster.append(s.buffer[:0])
	s.store.Set(s.rosterKey, s.buffer, 0)
	s.apply(now)
}

// HostsPath is the admin interface's path for a cluster's hosts, up to the Filter.
const HostsPath = "/clusters?format=json&filter="

// Filter is the RE2 expression for the name of a cluster and of its subsets, as clusters.Reader reads them, escaped for
// the query of a URL.
func Filter(cluster string) string {
	text := []byte("^")
	prefix, suffix, service := clusters.SplitService(cluster)
	if service {
		text = append(quoted(append(quoted(text, prefix), "[^|]*"...), ""), quoted(nil, suffix)...)
	} else {
		text = quoted(text, cluster)
	}
	text = append(text, '$')
	var path []byte
	const digits = "0123456789ABCDEF"
	for _, c := range text {
		if isPlain(c) {
			path = append(path, c)
		} else {
			path = append(path, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(path)
}

// quoted appends name, escaped so that an expression matches it literally.
func quoted(dst []byte, name string) []byte {
	for i := range len(name) {
		if !isPlain(name[i]) {
			dst = append(dst, '\\')
		}
		dst = append(dst, name[i])
	}
	return dst
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
