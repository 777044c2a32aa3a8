package pool

import "warmroute/plugin/config"

// An endpoint that joins others has a cold cache. With slow_start it gets no more than a part of the requests under way, as in
// Envoy's slow start mode with an aggression of 1: a tenth of its fair share at first, and all of it when the window is over.

// coldest is that tenth.
const coldest = 0.1

// join notes when endpoint i joined: a data-parallel rank with its server, if that was an endpoint before.
func (p *Pool) join(i int, now int64) {
	e := &p.ends[i]
	if e.joined = 0; p.slowStart == 0 {
		return
	}
	if server, rank := config.SplitRank(p.Endpoints[i].Address); rank != "" {
		for k := range p.Endpoints {
			if p.Endpoints[k].Address == server {
				e.joined = p.ends[k].joined
				return
			}
		}
	}
	if !p.first && p.Size() > 1 {
		e.joined, p.warmFrom = now, now
	}
}

// Warming says whether any endpoint may be slow to start.
func (p *Pool) Warming(now int64) bool {
	return p.warmFrom != 0 && now-p.warmFrom < p.slowStart && now >= p.warmFrom
}

// Warm is the part of its fair share of the requests under way that endpoint i may have, above 0 to 1.
func (p *Pool) Warm(i int, now int64) float64 {
	age := now - p.ends[i].joined
	if p.ends[i].joined == 0 || age >= p.slowStart || age < 0 {
		return 1
	}
	return max(float64(age)/float64(p.slowStart), coldest)
}
