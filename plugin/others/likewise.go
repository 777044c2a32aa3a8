package others

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

// Likewise is what the proxy has sent, as this worker knows of it, where there are other gateways, and what they sent at a time.
type Likewise struct {
	list [mostSends]sent // the last is before next
	next uint

	then         []bothSent // by endpoint: the tokens sent recently, as they were when the last span ended
	ended        int64      // ns: that
	both, square float64    // sums over spans, each weighing e^(−age ÷ recent.Span)

	span  span
	times float64 // tokens that are sent likewise, as a multiple of this proxy's
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

// span is the sums of the one that is taken, over endpoints: of this proxy's tokens, of the others', and of their squares and products.
type span struct {
	faded           float64
	known           bool // it has a beginning
	x, y, xx, xy, n float64
}

// Note remembers that so many prompts of streams were sent to an endpoint, with so many tokens; streams may be 0.
func (l *Likewise) Note(endpoint int, at int64, streams int, tokens float64) {
	l.list[l.next%mostSends] = sent{at, endpoint, streams, tokens}
	l.next++
}

// Begin begins to take the span of time since the last one, of so many endpoints; false: it is not over yet. known says that there are other
// gateways.
func (l *Likewise) Begin(now int64, endpoints int, known bool) bool {
	if now >= l.ended && now-l.ended < spanLeast {
		return false
	}
	l.span = span{faded: recent.Since(l.ended, now, recent.Span), known: known && l.ended != 0 && len(l.then) == endpoints && now > l.ended}
	l.ended = now
	for len(l.then) < endpoints {
		l.then = append(l.then, bothSent{})
	}
	return true
}

// Take takes what this proxy and the other gateways have sent to endpoint i recently, in tokens; each is to be taken once.
func (l *Likewise) Take(i int, own, others float64) {
	s, was := &l.span, &l.then[i]
	more, theirs := own-float64(was.own*s.faded), others-float64(was.others*s.faded)
	*was = bothSent{own, others}
	s.x, s.y, s.xx, s.xy, s.n = s.x+more, s.y+theirs, s.xx+float64(more*more), s.xy+float64(more*theirs), s.n+1
}

// End ends the span: gateways is how many others there are, and prompt the tokens to compute of a usual prompt. It says whether the others'
// sends count, or did before.
func (l *Likewise) End(gateways, prompt float64) (counts bool) {
	if s := &l.span; s.known {
		l.both = float64(l.both*s.faded) + s.xy - float64(s.x*s.y)/s.n
		l.square = float64(l.square*s.faded) + s.xx - float64(s.x*s.x)/s.n
	}
	was, weight := l.times, max(prompt*prompt, 1)
	l.times = min(max((l.both+gateways*weight)/(l.square+weight), 0), gateways)
	return was != 0 || l.times != 0
}

// Clear says that there are no other gateways any more.
func (l *Likewise) Clear() { l.times = 0 }

// Of is what the other gateways have probably sent to endpoint i since their report and still waits there, where so much of what
// this proxy sent still waits.
func (l *Likewise) Of(i int, reported int64, own queue.Line) (line queue.Line) {
	if l.times == 0 {
		return line
	}
	unseen := 0.0 // tokens of responses that are not streamed
	for k := range min(l.next, mostSends) {
		of := &l.list[(l.next-1-k)%mostSends]
		if of.at <= reported {
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
	line.Waiting = int(float64(min(line.Waiting, own.Waiting))*l.times + 0.5)
	line.Queued = (min(line.Queued, own.Queued) + unseen) * l.times
	return line
}
