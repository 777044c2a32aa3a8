package pool

import (
	"math"

	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
)

// Summary is what policies weigh of an endpoint whatever the request, kept together: a decision reads the summaries of all
// endpoints, and 1,024 of them are to take microseconds. It is made anew when the endpoint has changed (touch), or its page of
// metrics loses weight.
type Summary struct {
	Requests   float64 // as Pool.Requests
	Counted    float64 // as Pool.Counted
	Waiting    float64 // as Pool.Waiting
	Unadmitted float64 // as Pool.Unadmitted
	Queue      float64 // as Pool.Queue
	Late       float64 // as Pool.Late
	Used       float64 // as Pool.UsedTokens
	Room       float64 // the other of its results
	Wanted     float64 // tokens of memory that own streams want which wait
	Others     float64 // requests that want memory beside those
	Reads      float64 // as Pool.Reads
	Unknown    float64 // the other of its results
	Slower     float64 // × the time that an endpoint of mean speed takes
	Weight     float64 // as Pool.Weight
	Memory     float64 // its KV memory × the mean of the pool's; 1: all have as much, or it is not told
	Capacity   float64 // Weight ÷ Slower: its part of the work
	Share      float64 // Capacity × Memory: its part of the prompts to compute
	Class      Class
	Fails      bool // health.Endpoints.Failing may be above 0

	requests float64 // as OwnLoad, when summaries.from was
	work     float64 // likewise
	others   float64 // work of other workers and gateways
}

// queued is what a Summary's Queue is made of, apart, because few decisions read it.
type queued struct {
	own      queue.Own
	unseen   float64    // tokens that are left of own responses that are not streamed
	line     queue.Line // of the proxy, without them
	gateways queue.Line
	others   float64 // tokens of those that were not counted here
}

// Class is whether an endpoint may get requests.
type Class uint8

// The classes.
const (
	Well     Class = iota
	Barren         // answers without computing: health.Endpoints.FindBarren
	Draining       // is to get no new requests while others can
	Down           // fails, or hangs, or discovery reports it as out
	Absent         // not in the pool
)

// summaries are those of all endpoints, by index.
type summaries struct {
	list   []Summary
	queues []queued
	drains []bool  // queues that grow less with time
	until  []int64 // ns: each is what it says up to that time
	from   int64   // ns: since when work fades in them
	faded  float64 // what has become of work since
	last   int64   // ns: the last Look
}

// add makes room for one more endpoint.
func (s *summaries) add() {
	s.list, s.queues, s.drains = append(s.list, Summary{}), append(s.queues, queued{}), append(s.drains, false)
	s.until = append(s.until, math.MinInt64)
}

// touch says that what an endpoint's summary is made of has changed.
func (p *Pool) touch(i int) { p.summaries.until[i] = math.MinInt64 }

func (p *Pool) touchAll() {
	for i := range p.summaries.until {
		p.summaries.until[i] = math.MinInt64
	}
}

// Look is the summary of each endpoint at now, valid until something is reported to the pool.
func (p *Pool) Look(now int64) []Summary {
	p.compareSizes()
	s := &p.summaries
	if now < s.last || now-s.from > recent.Span || s.from == 0 { // the clock was set back, or 1 ÷ faded grows large
		s.from = now
		p.touchAll()
	}
	s.last, s.faded = now, recent.Since(s.from, now, recent.Span)
	usual := p.Usual()
	for i, until := range s.until {
		if until <= now {
			s.until[i] = p.summarize(&s.list[i], i, now)
		} else if s.drains[i] {
			s.list[i].Queue = s.queues[i].at(now, usual*s.list[i].Slower, p.likewise(i, s.queues[i].line), &p.gateways)
			s.list[i].Late = p.Late(i, now)
		}
	}
	return s.list
}

// summarize writes endpoint i's summary, and returns when it will be another one without anything being reported.
func (p *Pool) summarize(s *Summary, i int, now int64) (until int64) {
	e := &p.ends[i]
	s.Class = Well
	switch {
	case !p.Health.Present(i):
		s.Class = Absent
	case p.Health.Down(i):
		s.Class = Down
	case p.Health.Draining(i):
		s.Class = Draining
	case p.Health.Barren(i):
		s.Class = Barren
	}
	s.Requests, until = p.Requests(i, now), e.metrics.steady(now)
	s.Counted, s.Waiting, s.Unadmitted = p.Counted(i), p.Waiting(i, now), p.Unadmitted(i, now)
	s.Used, s.Room = p.UsedTokens(i, now)
	s.Wanted, s.Others = e.memory.found+e.queue.Streams.Queued, max(s.Unadmitted-float64(e.queue.Streams.Waiting), 0)
	s.Reads, s.Unknown = e.readBy(s.Requests)
	s.Weight, s.Fails = float64(e.weight), p.Health.Fails(i)
	s.Slower = p.speeds.Times(i)
	s.Memory = p.memoryOf(i)
	s.Capacity = s.Weight / s.Slower
	s.Share = s.Capacity * s.Memory
	q := &p.summaries.queues[i]
	q.own, q.line, q.gateways = e.queue, e.proxyLine(), e.gateways.line
	likewise := p.likewise(i, q.line)
	p.summaries.drains[i] = q.line.Waiting > 0 || e.queue.Wholes() || q.gateways.Queued+likewise.Queued > 0
	q.others = p.othersQueue(i, now)
	s.Queue, s.Late = q.at(now, p.PerToken(i), likewise, &p.gateways), p.Late(i, now)
	s.requests, s.work = p.OwnWork(i, now)
	s.requests, s.work = s.requests/p.summaries.faded, s.work/p.summaries.faded
	s.others = e.workers.work + e.gateways.work
	if now < e.recentAt {
		return now + 1
	}
	return until
}

// at is the tokens that are left at an endpoint that takes perToken seconds for each.
func (q *queued) at(now int64, perToken float64, likewise queue.Line, g *gateways) float64 {
	q.unseen = q.own.Whole(now, perToken)
	return q.others + g.left(q.line, q.gateways, likewise, now, perToken) + q.unseen
}

// steady is until when a page of metrics has the weight that it has now.
func (m *metrics) steady(now int64) int64 {
	switch age := now - m.at; {
	case m.at == 0 || age >= staleAfter:
		return math.MaxInt64
	case age >= 0 && age <= freshFor:
		return m.at + freshFor + 1
	}
	return now + 1
}

// Own is OwnLoad, as it was at the last Look.
func (p *Pool) Own(i int) (requests, work float64, line queue.Line) {
	s, q := &p.summaries.list[i], &p.summaries.queues[i]
	line = q.own.Streams
	line.Queued += q.unseen
	return s.requests * p.summaries.faded, s.work * p.summaries.faded, line
}

// Faded is the factor, 0 to 1, by which work in summaries has faded by the last Look: for Given and Sent.
func (p *Pool) Faded() float64 { return p.summaries.faded }

// Given is the prompt tokens to compute that were sent to the endpoint recently, by all workers and gateways, as of the last Look.
// Each weighs e^(−age ÷ recent.Span).
func (s *Summary) Given(faded float64) float64 { return s.work*faded + s.others }

// Sent is the requests that this worker sent there, likewise.
func (s *Summary) Sent(faded float64) float64 { return s.requests * faded }
