package pool

import (
	"warmroute/plugin/exposition"
	"warmroute/plugin/others"
)

// metrics is the last page of metrics of an endpoint.
type metrics struct {
	at       int64 // 0: none yet
	running  float64
	waiting  float64
	usage    float64 // share of its KV memory that running requests use, 0 to 1
	then     float64 // requests in flight, of all gateways, when the page was read
	computed float64 // prompt tokens looked up in its cache since it started

	others, othersWaiting others.Shown // beyond own counts
	learnedAt             int64        // when the last page was read that learnUncounted took
	stuck                 stuck
}

// A page has full weight for freshFor, then less and less, and none from staleAfter on. Own counts have the rest of the
// weight. Nanoseconds.
const (
	freshFor   = 2e9
	staleAfter = 10e9
)

// mostRequests bounds the running or waiting requests of a page: sums of such counts stay exact, and no server has a
// million.
const mostRequests = 1e6

// ApplyMetrics takes a page of endpoint i's metrics that was read at now: its load and the size of its cache. If a counter
// has fallen, the endpoint has restarted, and its cache is empty. A rank that its server's page does not name is out: requests to it would be
// answered with an error.
func (p *Pool) ApplyMetrics(i int, now int64, l *exposition.Load) {
	if missing := l.Has&exposition.NoRank != 0; missing != p.Health.Missing(i) {
		p.changed(i, p.Health.ReportRank(i, missing, now), now)
	}
	p.touch(i)
	m := &p.ends[i].metrics
	computed, stuck := m.computed, m.stuck.next(m.showsSame(l), l.Running > 0, now)
	if l.Has&exposition.HasCacheQueries != 0 && !l.Truncated { // else it may lack some of the server's engines
		computed = l.CacheQueries
		if c := &p.ends[i].cache; !c.paged {
			c.paged, c.earlier = true, p.before(i, computed)
		}
		if computed < m.computed {
			p.ends[i].cache.earlier = 0
			p.EmptyCache(i, now)
			p.ends[i].slots.Clear()
			p.speeds.Forget(i)
		}
	}
	m.computed, m.stuck = computed, stuck
	if l.Has&exposition.HasRunning != 0 && !l.Truncated {
		if l.Has&exposition.HasKVUsage != 0 && l.KVUsage != m.usage {
			p.changed(i, p.Health.Computes(i, now), now)
		}
		p.ends[i].memory.then = p.ends[i].memory.held
		*m = metrics{
			at: max(now, 1), running: min(l.Running, mostRequests), waiting: min(l.Waiting, mostRequests), usage: l.KVUsage,
			then: p.Counted(i), computed: computed, others: m.others, othersWaiting: m.othersWaiting, learnedAt: m.learnedAt, stuck: stuck,
		}
		m.others.Number, m.othersWaiting.Number = p.ends[i].shownBy(m)
	}
	if l.Has&exposition.HasKVTokens != 0 {
		p.ends[i].responses = l.Has&exposition.RanksInResponses != 0
		if !l.Truncated || p.ends[i].cache.said == 0 { // likewise
			p.SetCache(i, l.KVTokens)
		}
	}
	p.setTier(i, l)
	p.compareHits(i, l)
	if l.Has&exposition.HasAdapters != 0 && !l.Truncated {
		p.ends[i].slots.Apply(now, l, &p.adapters)
	}
}

// showsSame says whether a page is as the last one, and counts the prompts that its server has computed.
func (m *metrics) showsSame(l *exposition.Load) bool {
	return l.Has&exposition.HasCacheQueries != 0 && l.CacheQueries > 0 && l.CacheQueries == m.computed &&
		l.Running == m.running && l.Waiting == m.waiting && l.KVUsage == m.usage
}

// belief is the weight of the last page at now: 1 while it is fresh, 0 when it is stale, stuck, or there is none.
func (m *metrics) belief(now int64) float64 {
	if m.at == 0 || m.stuck.is() {
		return 0
	}
	age := now - m.at
	if age < 0 { // the clock was set back since
		age = -age
	}
	return min(max(float64(staleAfter-age)/(staleAfter-freshFor), 0), 1)
}

// Requests is the number of requests at endpoint i, of all clients: those on its last page of metrics, as far as they are probably
// still there (uncounted), with what the proxy's workers have sent and seen end since. As the page grows old, it approaches Counted.
func (p *Pool) Requests(i int, now int64) float64 {
	m, counted := &p.ends[i].metrics, p.Counted(i)
	b := m.belief(now)
	if b == 0 {
		return counted
	}
	return b*(counted+p.uncounted.requests.Expected(&m.others)) + (1-b)*counted
}

// Waiting is the number of requests at endpoint i whose prompt is not computed yet: streams without a first token, of all workers and
// gateways, and those of others that its last page of metrics shows, as far as they probably still wait. Which responses that are not
// streamed wait, only a page tells: of those, what was sent since, less what has ended, counts by their share of the own requests.
func (p *Pool) Waiting(i int, now int64) float64 {
	e := &p.ends[i]
	streams, b := float64(e.streams()), e.metrics.belief(now)
	others := p.uncounted.waiting.Expected(&e.metrics.othersWaiting)
	unseen := max(p.queuedThere(i)-streams-others, 0)
	return streams + float64(b*(others+float64(p.uncounted.usualUnseen*unseen)))
}

// step is how many prompt tokens a scheduler computes at once, as far as no page tells: vLLM's max_num_batched_tokens on cards for servers.
const step = 8192

// Unadmitted is the number of requests at endpoint i that its scheduler has not admitted yet, so that they hold no KV memory: those on
// its last page of metrics, with what was sent since, less what has ended. As the page grows old, it approaches the streams without a
// first token whose prompts are not in the step that is computed.
func (p *Pool) Unadmitted(i int, now int64) float64 {
	e := &p.ends[i]
	b := e.metrics.belief(now)
	if b == 1 {
		return p.queuedThere(i)
	}
	line := e.proxyLine().With(e.gateways.line)
	waiting := float64(line.Waiting) * (1 - step/max(line.Queued, step))
	return float64(b*p.queuedThere(i)) + float64((1-b)*waiting)
}

// queuedThere is the requests in endpoint i's queue on its last page of metrics, with what was sent since, less what has ended.
func (p *Pool) queuedThere(i int) float64 {
	m := &p.ends[i].metrics
	return max(m.waiting+p.Counted(i)-m.then, 0)
}

// streams is the streams without a first token, of all workers and gateways.
func (e *endpoint) streams() int {
	return e.queue.Streams.Waiting + e.workers.line.Waiting + e.gateways.line.Waiting
}

// UsedTokens is the KV memory of endpoint i that running requests use, in tokens: as its last page of metrics shows, with what
// this worker's streams have taken and left since; and all that it has. 0 and 0 where its metrics do not say.
func (p *Pool) UsedTokens(i int, now int64) (used, all float64) {
	m, own := &p.ends[i].metrics, &p.ends[i].memory
	if all = p.ends[i].cache.said; all < 1 || m.belief(now) == 0 {
		return 0, 0
	}
	return min(max(m.usage*all+own.held-own.then, 0), all), all
}
