package pool

import (
	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
)

// Requests come together: those that one step of an endpoint answers have their next turns at once, and these come to all gateways.
// What the others send in the moment that their news take is not known; but if they have sent much to an endpoint whenever this proxy
// has, they have probably done so since their report, too. How much is the coefficient that least squares give for the prompt tokens of
// each span of time, theirs at an endpoint over this proxy's, both less their means. Where one gateway has a burst of its own, or requests
// come one by one, it is near 0. At first it is the number of other gateways, with the weight of one prompt.

const (
	mostSends = 32  // how many of the proxy's last sends a worker remembers
	spanLeast = 2e8 // ns: a span of time, long against the age of reports
)

// sends are those of the proxy, as this worker knows of them, where there are other gateways.
type sends struct {
	list [mostSends]sent // the last is before next
	next uint

	then         []bothSent // by endpoint: the tokens sent recently, as they were when the last span ended
	ended        int64      // ns: that
	both, square float64    // sums over spans, each weighing e^(−age ÷ recent.Span)
}

// sent is what one worker has sent to an endpoint.
type sent struct {
	at       int64 // ns
	endpoint int
	streams  int // of the prompts
	tokens   float64
}

// bothSent is prompt tokens of this proxy and of the other gateways.
type bothSent struct{ own, others float64 }

func (s *sends) add(of sent) {
	s.list[s.next%mostSends] = of
	s.next++
}

// noteSend remembers a request of this worker.
func (p *Pool) noteSend(i int, now int64, tokens float64, streams bool) {
	if p.OtherGateways() > 0 {
		of := sent{at: now, endpoint: i, tokens: tokens}
		if streams {
			of.streams = 1
		}
		p.sends.add(of)
	}
}

// noteWorkers remembers what other workers have sent, as far as their lines show it.
func (p *Pool) noteWorkers(i int, was, line *queue.Line) {
	if tokens := line.Queued - was.Queued; tokens > 0 && p.OtherGateways() > 0 {
		p.sends.add(sent{p.workers.at, i, max(line.Waiting-was.Waiting, 0), tokens})
	}
}

// LearnLikewise takes the span of time since the last one, if it is over.
func (p *Pool) LearnLikewise(now int64) {
	s, others, n := &p.sends, float64(p.OtherGateways()), len(p.ends)
	if now >= s.ended && now-s.ended < spanLeast {
		return
	}
	known := s.ended != 0 && len(s.then) == n && now > s.ended && others > 0
	faded := recent.Since(s.ended, now, recent.Span)
	s.ended = now
	for len(s.then) < n {
		s.then = append(s.then, bothSent{})
	}
	x, y, xx, xy := 0.0, 0.0, 0.0, 0.0
	for i := range p.ends {
		_, own := p.OwnWork(i, now)
		is := bothSent{own + p.ends[i].workers.work, p.ends[i].gateways.work}
		more, theirs := is.own-float64(s.then[i].own*faded), is.others-float64(s.then[i].others*faded)
		s.then[i] = is
		x, y, xx, xy = x+more, y+theirs, xx+float64(more*more), xy+float64(more*theirs)
	}
	if known {
		s.both = float64(s.both*faded) + xy - float64(x*y)/float64(n)
		s.square = float64(s.square*faded) + xx - float64(x*x)/float64(n)
	}
	was, prompt := p.gateways.times, max(p.uncounted.sent*p.uncounted.sent, 1)
	p.gateways.times = min(max((s.both+others*prompt)/(s.square+prompt), 0), others)
	if was != 0 || p.gateways.times != 0 { // else no queue has any of it
		p.touchAll()
	}
}

// likewise is what the other gateways have probably sent to endpoint i since their report and still waits there, where so much of what
// this proxy sent still waits.
func (p *Pool) likewise(i int, own queue.Line) (line queue.Line) {
	g, s := &p.gateways, &p.sends
	if g.times == 0 {
		return line
	}
	unseen := 0.0 // tokens of responses that are not streamed
	for k := range min(s.next, mostSends) {
		of := &s.list[(s.next-1-k)%mostSends]
		if of.at <= g.at {
			break
		}
		switch {
		case of.endpoint != i:
		case of.streams == 0:
			unseen += of.tokens
		default:
			line.Waiting += of.streams
			line.Queued += of.tokens
			line.Begun = of.at
		}
	}
	line.Waiting = int(float64(min(line.Waiting, own.Waiting))*g.times + 0.5)
	line.Queued = (min(line.Queued, own.Queued) + unseen) * g.times
	return line
}
