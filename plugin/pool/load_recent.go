package pool

import "warmroute/plugin/recent"

// OwnWork is what this worker sent to endpoint i recently: requests, and prompt tokens to compute, each weighing
// e^(−age ÷ recent.Span). Divided by recent.Span they are the rates of arrival.
func (p *Pool) OwnWork(i int, now int64) (requests, tokens float64) {
	e := &p.ends[i]
	faded := e.faded(now)
	return e.recent * faded, e.work * faded
}

// usualWork is the mean of the prompt tokens to compute of recent requests, of all endpoints.
func (p *Pool) usualWork(now int64) float64 {
	var requests, tokens float64
	for i := range p.ends {
		r, w := p.OwnWork(i, now)
		requests, tokens = requests+r, tokens+w
	}
	if requests == 0 {
		return 0
	}
	return tokens / requests
}

// OtherRequests is the requests that other workers and gateways sent recently to all endpoints, weighed alike.
func (p *Pool) OtherRequests() float64 { return p.workers.requests + p.gateways.requests }

// correctWork adds to the recent work of f's endpoint what its response showed beyond the estimate: more tokens computed, or
// fewer if more is below 0. Without it an endpoint that holds less than believed would always get more than its share.
func (p *Pool) correctWork(f *Flight, now int64, more float64) {
	e := &p.ends[f.endpoint]
	if e.recent == 0 || !p.same(f) {
		return // another endpoint has its index since
	}
	faded := e.faded(now)
	e.recent, e.work, e.recentAt = e.recent*faded, max(e.work*faded+more, 0), now
	p.touch(f.endpoint)
}

// levelWork sets the recent work of endpoint i to the mean of the other serving endpoints, by weight.
func (p *Pool) levelWork(i int, now int64) {
	var requests, tokens float64
	weight := 0
	for j := range p.ends {
		if j != i && p.Serving(j) {
			r, w := p.OwnWork(j, now)
			requests, tokens, weight = requests+r, tokens+w, weight+p.ends[j].weight
		}
	}
	if weight == 0 {
		return
	}
	e := &p.ends[i]
	share := float64(e.weight) / float64(weight)
	e.recent, e.work, e.recentAt = requests*share, tokens*share, now
	p.touch(i)
}

func (e *endpoint) faded(now int64) float64 {
	if e.recent == 0 {
		return 0
	}
	return recent.Since(e.recentAt, now, recent.Span)
}
