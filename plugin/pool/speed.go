package pool

import "math"

// How fast an endpoint computes prompts is learned from its responses: a line is fitted to the time to the first token over
// the tokens that had to be computed before it (those queued ahead and the prompt's own), by least squares over about the
// last hundred responses of each worker. The slope is seconds per token, the intercept the cost of every response (the network, one step
// of the batch). Of the first few responses the line goes through the origin: of several gateways each has seen few, and a wrong
// speed costs more than a rough one. An endpoint counts as fast as all others until it differs by more than chance: otherwise noise would
// decide between equal endpoints, where the ring should. The fewer responses there are, the more it must differ: cards that are ten times
// as fast show after eight, and a conversation that begins at a slow one has all its turns there.

// Bounds and constants of the fits.
const (
	// AssumedPerToken is seconds per prompt token before anything is learned: 10,000 tokens a second, about an 8B
	// model on one GPU of 2023. It is the same for all endpoints, so it decides nothing among equals.
	AssumedPerToken = 1e-4

	keep       = 0.99 // factor of the weight of earlier responses at each new one
	enough     = 8    // responses before a line has a base: until then it goes through the origin
	surprise   = 4    // × the expected time: a slower response counts as this, so that one stall changes little
	sigmas     = 4    // standard errors by which a slope must differ from the pool's; times scatter more than these say
	apart      = 0.6  // share of the pool's slope by which it must differ, too
	same       = 0.2  // share of a usual prompt's time up to which it does not differ
	distinct   = 30   // responses from which that is enough; of fewer it must differ more, as queues bend the line of a short stretch
	leastSlope = 1e-7 // seconds per token
	mostSlope  = 1e-1
)

// fit is a least-squares line over samples that fade, kept as sums.
type fit struct {
	Sums
	own, others Sums    // of this worker's responses, and of others'
	slope, base float64 // seconds per token, seconds; valid from `enough` on
	differs     bool    // from the pool
}

// add takes a sample of this worker's; those of others stay.
func (f *fit) add(x, y float64) {
	f.own.sample(x, y)
	f.tell(f.others)
}

func (f *fit) ready() bool { return f.Sums[sumN] > 0 }

// solve sets the line. Times are not negative, so neither is the intercept; if it would be, or if all prompts have the same
// length, the line goes through the origin.
func (f *fit) solve() {
	mx, my := f.Sums[sumX]/f.Sums[sumN], f.Sums[sumY]/f.Sums[sumN]
	variance := f.Sums[sumXX]/f.Sums[sumN] - mx*mx
	slope, base := 0.0, 0.0
	if variance > mx*mx*1e-3 {
		slope = (f.Sums[sumXY]/f.Sums[sumN] - mx*my) / variance
		base = my - slope*mx
	}
	if f.Sums[sumN] < enough || slope <= 0 || base < 0 {
		slope, base = f.Sums[sumXY]/max(f.Sums[sumXX], 1), 0
	}
	f.slope, f.base = min(max(slope, leastSlope), mostSlope), base
}

// isApart says whether the slope differs from the pool's by more than chance, and with it the time of a usual prompt: where times do
// not follow tokens, chance gives one line a slope and another a base.
func (f *fit) isApart(pool *fit) bool {
	if f.Sums[sumN] < enough {
		return false
	}
	mx, my, slope := f.Sums[sumX]/f.Sums[sumN], f.Sums[sumY]/f.Sums[sumN], pool.slope
	if usual := pool.base + slope*mx; math.Abs(f.base+f.slope*mx-usual) < usual*same {
		return false
	}
	variance := max(f.Sums[sumXX]/f.Sums[sumN]-mx*mx, 1)
	rest := max(f.Sums[sumYY]/f.Sums[sumN]-my*my-f.slope*f.slope*variance, 0) // of the variance of y
	free := max(f.Sums[sumN]*f.Sums[sumN]/f.Sums[sumNN]-2, 1)                 // degrees of freedom, by Kish's effective sample size
	least := apart * slope
	if f.slope < slope {
		least = apart / (1 - apart) * f.slope
	}
	return math.Abs(f.slope-slope) > max(sigmas*math.Sqrt(rest/variance/free), least*max(distinct/f.Sums[sumN], 1))
}

type rates struct {
	pool      fit
	residence residence
}

// learn takes a response's time to its first token, in seconds, and the tokens that had to be computed before it: those
// queued at the endpoint when it was sent there, and the prompt's own without those cached.
func (p *Pool) learn(i int, tokens, seconds float64) {
	if !(tokens > 0 && seconds > 0) {
		return
	}
	e := &p.ends[i]
	if e.speed.ready() || p.rates.pool.ready() {
		expected := p.Overhead(i) + tokens*p.PerToken(i)
		if f := &e.speed; f.ready() && f.Sums[sumN] < distinct { // one stall is a surprise, but not a slow endpoint's second response
			expected = max(expected, f.base+tokens*f.slope)
		}
		seconds = min(seconds, surprise*expected)
	}
	e.speed.add(tokens, seconds)
	p.rates.pool.add(tokens, seconds)
	p.rates.pool.solve()
	p.solve(i)
}

func (p *Pool) solve(i int) {
	if e := &p.ends[i]; e.speed.ready() {
		e.speed.solve()
		p.touch(i)
		e.speed.differs = e.speed.isApart(&p.rates.pool)
	}
}

// line is the fit that is used for endpoint i; nil if nothing is learned.
func (p *Pool) line(i int) *fit {
	switch f := &p.ends[i].speed; {
	case f.differs:
		return f
	case p.rates.pool.ready():
		return &p.rates.pool
	}
	return nil
}

// Speed is the seconds that the pool's endpoints take to compute a prompt token; false before enough responses have shown it.
func (p *Pool) Speed() (perToken float64, known bool) {
	f := &p.rates.pool
	return f.slope, f.Sums[sumN] >= enough
}

// Usual is PerToken of an endpoint that does not differ from the pool.
func (p *Pool) Usual() float64 {
	if p.rates.pool.ready() {
		return p.rates.pool.slope
	}
	return AssumedPerToken
}

// PerToken is the seconds that endpoint i takes to compute a prompt token, 1e-7 to 0.1.
func (p *Pool) PerToken(i int) float64 {
	if f := p.line(i); f != nil {
		return f.slope
	}
	return AssumedPerToken
}

// Overhead is the seconds that every response of endpoint i takes beside computing the prompt.
func (p *Pool) Overhead(i int) float64 {
	if f := p.line(i); f != nil {
		return f.base
	}
	return 0
}
