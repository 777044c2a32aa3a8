package load

import "warmroute/plugin/exposition"

// scrape is the last page of metrics of an endpoint.
type scrape struct {
	at       int64 // 0: none yet
	running  float64
	waiting  float64
	then     int // in flight, own and others', when the page was read
	computed float64
}

// A page is believed in full for freshFor, and less and less until it counts for nothing at staleAfter. The time
// between is bridged by own counts. Nanoseconds.
const (
	freshFor   = 2e9
	staleAfter = 10e9
)

// mostRequests is what is believed of a page that claims more running or waiting: sums of such counts stay exact, and no
// server has a million.
const mostRequests = 1e6

// Scraped takes a page of endpoint i's metrics. It reports whether the server has restarted since the page before:
// its counters have fallen, and its cache is empty.
func (t *Table) Scraped(i int, now int64, l *exposition.Load) (restarted bool) {
	e := &t.ends[i]
	restarted = l.Has&exposition.HasCacheQueries != 0 && l.CacheQueries < e.scrape.computed
	computed := e.scrape.computed
	if l.Has&exposition.HasCacheQueries != 0 {
		computed = l.CacheQueries
	}
	if l.Has&exposition.HasRunning == 0 || l.Truncated {
		e.scrape.computed = computed
		return restarted
	}
	e.scrape = scrape{
		at: max(now, 1), running: min(l.Running, mostRequests), waiting: min(l.Waiting, mostRequests), then: e.own + e.others, computed: computed,
	}
	return restarted
}

// belief is how much the last page counts at now: 1 while it is fresh, 0 when it is stale or there is none.
func (s *scrape) belief(now int64) float64 {
	if s.at == 0 {
		return 0
	}
	age := now - s.at
	if age < 0 { // read by a clock that was set back since
		age = -age
	}
	return min(max(float64(staleAfter-age)/(staleAfter-freshFor), 0), 1)
}

// Busy is the number of requests at endpoint i: those that its last page of metrics shows, which counts every
// client's, and what the proxy's workers have sent and seen end since. As the page grows old it turns into InFlight.
func (t *Table) Busy(i int, now int64) float64 {
	e := &t.ends[i]
	counted := float64(e.own + e.others)
	b := e.scrape.belief(now)
	if b == 0 {
		return counted
	}
	shown := max(e.scrape.running+e.scrape.waiting+counted-float64(e.scrape.then), counted)
	return b*shown + (1-b)*counted
}

// Waiting is the number of requests that wait at endpoint i for their prefill: as its last page of metrics shows, with
// what the proxy's workers have sent and seen end since; as the page grows old, own streams without a first token.
func (t *Table) Waiting(i int, now int64) float64 {
	e := &t.ends[i]
	counted := float64(e.waiting)
	b := e.scrape.belief(now)
	if b == 0 {
		return counted
	}
	return b*max(e.scrape.waiting+float64(e.own+e.others-e.scrape.then), 0) + (1-b)*counted
}
