package pool

import (
	"warmroute/plugin/speed"
	"warmroute/plugin/traffic"
)

// Usual is the seconds that an endpoint of mean speed takes to compute a prompt token, 1e-7 to 0.1.
func (p *Pool) Usual() float64 { return p.speeds.Usual() }

// Speed is Usual; false before enough responses have shown it.
func (p *Pool) Speed() (perToken float64, known bool) { return p.speeds.Shown() }

// PerToken is the seconds that endpoint i takes to compute a prompt token.
func (p *Pool) PerToken(i int) float64 { return p.speeds.PerToken(i) }

// Overhead is the seconds that every response of endpoint i takes beside computing the prompt.
func (p *Pool) Overhead(i int) float64 { return p.speeds.Overhead(i) }

// Standing is the seconds that prompts wait beside what queues say: speed.Speeds.Standing.
func (p *Pool) Standing() float64 { return p.speeds.Standing() }

// OverheadTokens is that in tokens, of an endpoint of mean speed; 0 where all are of equal speed: it is the same at each.
func (p *Pool) OverheadTokens() float64 { return p.speeds.OverheadTokens() }

// Deep is so many tokens of a prompt to compute, behind those cached, in tokens of usual price: speed.Speeds.Deep.
func (p *Pool) Deep(computed, cached float64) float64 { return p.speeds.Deep(computed, cached) }

// learnSpeed takes the time to the first token of a streamed response, from when the whole of its prompt had come, or that of the whole
// response where it is not streamed. For a request that moved, the time at which it reached its endpoint is not known, nor is it for one whose
// prompt was not read to its end. The time of one with media that its server fetches is that of where they lie.
// What another endpoint had under way teaches nothing of the one that has its index since.
func (p *Pool) learnSpeed(f *Flight, o Outcome, now int64) {
	if o.Leapt || f.moved || f.atypical || f.fetched || !f.exact || !p.same(f) || f.streams && f.first == 0 {
		return
	}
	o.atMost(f.usually())
	r := speed.Response{
		Ahead: p.aheadOf(f), Computed: float64(max(o.PromptTokens-o.CachedTokens, 1)), Cached: float64(o.CachedTokens),
		Output: float64(o.OutputTokens), Crowded: f.crowded,
	}
	if !f.streams {
		r.Seconds = float64(o.whole(now)-f.begun-f.late) / 1e9
		p.speeds.Whole(f.endpoint, r)
		return
	}
	first := o.TTFT
	if first <= 0 {
		first = f.first - f.begun
	}
	r.Seconds = float64(first-f.late) / 1e9
	p.speeds.First(f.endpoint, r)
}

// whole is when the server had a response that is not streamed and that ended at now.
func (o *Outcome) whole(now int64) int64 {
	if o.Came == 0 {
		return now
	}
	return min(o.Came, now)
}

// deeper is what the prompt's attention takes beyond that of a prompt of usual depth, in tokens of such a prompt.
func (p *Pool) deeper(f *Flight) float64 {
	return p.speeds.Deeper(f.uncached, max(f.Tokens-f.uncached, 0))
}

// watch takes a prompt whose whole was sent as the one under way at its endpoint, if its first token will tell of its speed.
func (p *Pool) watch(f *Flight, now int64) {
	if !f.crowded && !f.moved && !f.atypical && !f.fetched {
		f.watched = p.speeds.Watch(f.endpoint, p.aheadOf(f), f.uncached, max(f.Tokens-f.uncached, 0), now) || f.watched
	}
}

// unwatch is watch's end: the first token has come, or the request has left.
func (p *Pool) unwatch(f *Flight) {
	if f.watched && p.same(f) {
		p.speeds.Unwatch(f.endpoint)
	}
	f.watched = false
}

// SpeedsEvery is how often OwnSpeed is told, in nanoseconds; of very many endpoints less often.
const SpeedsEvery = 1e9

// Speed is what one worker tells of an endpoint, or of all.
type Speed struct {
	Sums   speed.Sums
	Lost   float64        // the share of its time that it loses for the worker's requests (traffic.Lost); of all: none
	Thrash traffic.Thrash // likewise
}

// Plus is what both tell together.
func (s Speed) Plus(other *Speed) Speed {
	return Speed{s.Sums.Plus(&other.Sums, 1), s.Lost + other.Lost, s.Thrash.Plus(other.Thrash)}
}

// OwnSpeed is what this worker's responses from endpoint i tell; −1: from all.
func (p *Pool) OwnSpeed(i int, now int64) Speed {
	s := Speed{Sums: p.speeds.Own(i)}
	if i >= 0 {
		s.Lost, s.Thrash = p.Lost.Own(i, now), p.ends[i].thrash.Own(now)
	}
	return s
}

// SetOthersSpeed sets what other workers' and gateways' responses from endpoint i tell; −1, first: from all.
func (p *Pool) SetOthersSpeed(i int, s *Speed) {
	if i >= 0 {
		p.Lost.SetOthers(i, s.Lost)
		p.ends[i].thrash.SetOthers(s.Thrash)
	}
	if p.speeds.SetOthers(i, &s.Sums) {
		p.touchAll()
	}
}
