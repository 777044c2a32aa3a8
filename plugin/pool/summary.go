package pool

import "math"

// Summary is what policies weigh of an endpoint whatever the request, kept together: a decision reads the summaries of all
// endpoints, and 1,024 of them are to take microseconds. It is made anew when the endpoint has changed (touch), or its page of
// metrics loses weight.
type Summary struct {
	Requests float64 // as Pool.Requests
	Counted  float64 // as Pool.Counted
	Waiting  float64 // as Pool.Waiting
	Queue    float64 // as Pool.Queue
	Used     float64 // as Pool.UsedTokens
	Room     float64 // the other of its results
	PerToken float64 // as Pool.PerToken, if the endpoint differs from the pool; else 0
	Weight   float64 // as Pool.Weight
	Class    Class
	Fails    bool // Pool.Failing may be above 0

	own       pending
	drains    bool    // own or gateways grow less with time
	ownQueue  float64 // tokens, as OwnLoad
	queue     float64 // those of other workers, and of other gateways
	gateways  float64
	requests  float64 // as OwnLoad, when summaries.from was
	work      float64 // likewise
	peers     float64 // work of other workers
	elsewhere float64 // and of other gateways
}

// Class is whether an endpoint may get requests.
type Class uint8

// The classes.
const (
	Well     Class = iota
	Draining       // is to get no new requests while others can
	Down           // fails, or hangs, or discovery reports it as out
	Absent         // not in the pool
)

// summaries are those of all endpoints, by index.
type summaries struct {
	list  []Summary
	until []int64 // ns: each is what it says up to that time
	from  int64   // ns: since when work fades in them
	faded float64 // what has become of work since
	last  int64   // ns: the last Look
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
	s := &p.summaries
	if now < s.last || now-s.from > WorkSpan || s.from == 0 { // the clock was set back, or 1 ÷ faded grows large
		s.from = now
		p.touchAll()
	}
	s.last, s.faded = now, fade(float64(now-s.from)/WorkSpan)
	usual := p.Usual()
	for i, until := range s.until {
		of := &s.list[i]
		if until <= now {
			s.until[i] = p.summarize(of, i, now)
		} else if of.drains {
			of.drain(now, usual, &p.gateways)
		}
	}
	return s.list
}

// summarize writes endpoint i's summary, and returns when it will be another one without anything being reported.
func (p *Pool) summarize(s *Summary, i int, now int64) (until int64) {
	e := &p.ends[i]
	s.Class = Well
	switch {
	case e.gone:
		s.Class = Absent
	case e.health.down || e.out:
		s.Class = Down
	case e.draining:
		s.Class = Draining
	}
	s.Requests, s.Counted, s.Waiting = p.Requests(i, now), p.Counted(i), p.Waiting(i, now)
	s.Used, s.Room = p.UsedTokens(i, now)
	s.Weight, s.Fails = float64(e.weight), e.health.failing > 0
	if s.PerToken = 0; e.speed.differs {
		s.PerToken = e.speed.slope
	}
	s.own, s.queue, s.gateways = e.pending, e.peer.queued, e.gateways.queued
	s.drains = e.waiting > 0 || e.unseen > 0 || s.gateways > 0
	s.drain(now, p.Usual(), &p.gateways)
	s.requests, s.work = p.OwnWork(i, now)
	s.requests, s.work = s.requests/p.summaries.faded, s.work/p.summaries.faded
	s.peers, s.elsewhere = e.peer.work, e.gateways.work
	if now < e.recentAt {
		return now + 1
	}
	return e.metrics.steady(now)
}

// drain sets the queue.
func (s *Summary) drain(now int64, usual float64, g *gateways) {
	if s.PerToken > 0 {
		usual = s.PerToken
	}
	s.ownQueue = s.own.left(now, usual)
	s.Queue = s.ownQueue + s.queue + g.left(&s.own, s.gateways, now, usual)
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

// Own is OwnLoad. s is one of the last Look.
func (p *Pool) Own(s *Summary) (requests, queued, work float64) {
	return s.requests * p.summaries.faded, s.ownQueue, s.work * p.summaries.faded
}

// Given is the prompt tokens to compute that were sent to the endpoint recently, by all workers and gateways, and the requests
// of this worker, each weighing e^(−age ÷ WorkSpan). s is one of the last Look.
func (p *Pool) Given(s *Summary) (requests, tokens float64) {
	return s.requests * p.summaries.faded, s.work*p.summaries.faded + s.peers + s.elsewhere
}
