package scout

import (
	"warmroute/plugin/config"
	"warmroute/plugin/load"
)

// slack is how long after its timeout a call counts as lost, in ns.
const slack = 1e9

// begin says whether the job is due, and starts it.
func (j *job) begin(now, timeout int64) bool {
	if now < j.due || now < j.until {
		return false
	}
	j.began, j.until = now, now+timeout+slack
	return true
}

// end is to be called with the answer: the next time is an interval after the last, or now where that took longer.
func (j *job) end(interval int64) { j.due, j.until = j.began+interval, 0 }

// askAdmin asks which endpoints there are.
func (s *Scout) askAdmin(now int64) {
	d := &s.cfg.Discovery
	if s.lookPath == "" || !s.look.begin(now, d.Timeout) {
		return
	}
	if !s.caller.Get(Call{
		Cluster: d.AdminCluster, Authority: "admin", Path: s.lookPath, Timeout: d.Timeout, Token: Token{Endpoint: -1},
	}) {
		s.look.end(d.Interval)
	}
}

// askEndpoints asks the endpoints whose metrics are due, spread over the ticks of an interval.
func (s *Scout) askEndpoints(now int64) {
	if !s.askedBy {
		return
	}
	n := len(s.pool.Endpoints)
	for len(s.jobs) < n {
		s.jobs = append(s.jobs, job{})
	}
	underWay := 0
	for i := range s.jobs {
		if s.jobs[i].until > now {
			underWay++
		}
	}
	tick := min(max(now-s.ticked, 0), 1e9)
	quota := min(int(int64(n)*tick/s.cfg.Scrape.Interval)+4, most-underWay)
	for step := 1; step <= n && quota > 0; step++ {
		i := (s.asked + step) % n
		if !s.pool.Present(i) || !s.jobs[i].begin(now, s.cfg.Scrape.Timeout) {
			continue
		}
		quota--
		if quota == 0 {
			s.asked = i
		}
		if !s.caller.Get(s.callTo(i)) {
			s.jobs[i].end(s.cfg.Scrape.Interval)
		}
	}
}

// callTo is the call for endpoint i's metrics.
func (s *Scout) callTo(i int) Call {
	e := &s.pool.Endpoints[i]
	c := Call{
		Cluster: s.cfg.Scrape.Cluster, Authority: e.Address, Path: s.cfg.Scrape.Path, Endpoint: e.Address,
		Timeout: s.cfg.Scrape.Timeout, Token: Token{i, s.roster.epoch},
	}
	if c.Cluster == "" {
		c.Cluster, c.Endpoint = e.Cluster, ""
	}
	return c
}

// The faults of an answer.
const (
	adminSilent   Fault = "the admin interface gave no answer"
	adminRefused  Fault = "the admin interface answered with an error"
	metricsSilent Fault = "an endpoint gave no answer when asked for its metrics"
	metricsError  Fault = "an endpoint answered with an error when asked for its metrics"
	metricsNone   Fault = "an endpoint's metrics are of no kind that is known"
)

// Answered takes the answer to a call. The fault, if there is one, has cost nothing but the news.
func (s *Scout) Answered(token Token, page Page, now int64) Fault {
	if token.Endpoint < 0 {
		s.look.end(s.cfg.Discovery.Interval)
		return s.discovered(page, now)
	}
	if token.Endpoint >= len(s.jobs) || token.epoch != s.roster.epoch {
		return "" // the endpoint has gone
	}
	s.jobs[token.Endpoint].end(s.cfg.Scrape.Interval)
	switch {
	case !s.pool.Present(token.Endpoint):
		return ""
	case page.Status == 0 || page.Status == 503 || page.Status == 504:
		return metricsSilent
	case page.Status != 200:
		return metricsError
	}
	s.page.Reset()
	for from := 0; from < page.Size; from += piece {
		s.page.Write(page.Read(from, min(piece, page.Size-from)))
	}
	sample := s.page.Close(false)
	if sample.Has == 0 {
		return metricsNone
	}
	s.pool.ApplyMetrics(token.Endpoint, now, sample)
	s.pages.set(token.Endpoint, now, sample)
	s.unsaid = true
	return ""
}

// discovered takes the admin interface's list of hosts.
func (s *Scout) discovered(page Page, now int64) Fault {
	switch {
	case page.Status == 0 || page.Status == 503 || page.Status == 504:
		return adminSilent
	case page.Status != 200:
		return adminRefused
	case !s.leads:
		return "" // another has taken over, and asks by itself
	}
	s.reader.Reset(s.cfg.Discovery.Cluster)
	for from := 0; from < page.Size; from += piece {
		s.reader.Write(page.Read(from, min(piece, page.Size-from)))
	}
	found, err := s.reader.Close(s.found)
	if err != nil {
		return Fault(err.Error())
	}
	s.found = found
	inUse := func(i int) bool { return s.pool.InFlight(i) > 0 }
	if !s.roster.update(found, s.cfg.Steer.Target == config.TargetCluster, now, inUse) {
		return ""
	}
	s.buffer = s.roster.append(s.buffer[:0])
	s.store.Set(s.rosterKey, s.buffer, 0)
	s.apply(now)
	return ""
}

// filter is the RE2 expression for the name of a cluster and, as load.ClusterReader takes it, of its subsets, written
// for the query of a URL.
func filter(cluster string) string {
	text := []byte("^")
	head, tail, service := load.Subsets(cluster)
	if service {
		text = append(quoted(append(quoted(text, head), "[^|]*"...), ""), quoted(nil, tail)...)
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

// quoted appends name so that an expression means it literally.
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
