package pool

// How fast an endpoint computes prompts is learned from its responses: a line is fitted to the time to the first token over
// the tokens that had to be computed before it (those queued ahead and the prompt's own), by least squares over about the
// last hundred responses of each worker. The slope is seconds per token, the intercept the cost of every response (the network, one step
// of the batch). Of the first few responses the line goes through the origin: of several gateways each has seen few, and a wrong
// speed costs more than a rough one. There is one line for the pool, and where endpoints are of different speed (speed_mixed.go), a factor for
// each.

// Bounds and constants of the fits.
const (
	// AssumedPerToken is seconds per prompt token before anything is learned: 10,000 tokens a second, about an 8B
	// model on one GPU of 2023. It is the same for all endpoints, so it decides nothing among equals.
	AssumedPerToken = 1e-4

	keep       = 0.99 // factor of the weight of earlier responses at each new one
	enough     = 8    // responses before a line has a base: until then it goes through the origin
	surprise   = 4    // × the expected time: a slower response counts as this, so that one stall changes little
	distinct   = 30   // responses of an endpoint up to which its own line, too, says what is a surprise
	leastSlope = 1e-7 // seconds per token
	mostSlope  = 1e-1
	fastestOf  = 100 // responses
)

// fit is a least-squares line over samples that fade, kept as sums.
type fit struct {
	Sums
	own, others Sums    // of this worker's responses, and of others'
	slope, base float64 // seconds per token, seconds; valid from `enough` on
	slower      float64 // × the time of an endpoint of mean speed, as compareSpeeds found; 0: it is of that
	depth, of   float64 // of this worker's last responses: pairs, and of how many tokens
}

// times is how many times as long it takes as an endpoint of mean speed.
func (f *fit) times() float64 {
	if f.slower == 0 {
		return 1
	}
	return f.slower
}

// pairs is how many pairs of tokens attend to each other in a prompt of which so many are computed and cached, and in the prompts ahead of
// it, which are taken to be as deep as those computed there lately.
func (f *fit) pairs(ahead, computed, cached float64) float64 {
	own := ownPairs(computed, cached)
	f.depth, f.of = f.depth*keep+own, f.of*keep+computed
	return own + ahead*f.depth/f.of
}

// add takes a sample of this worker's; those of others stay.
func (f *fit) add(x, y, z float64) {
	f.own.sample(x, y, z)
	f.setOthers(f.others)
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

type rates struct {
	pool      fit
	residence residences
	even      fit // where they are of different speed: the line of one of mean speed
	curve     curve
	shown     []estimate // of compareSpeeds, by endpoint; zero: none
	learned   bool       // since compareSpeeds
	awaited   bool       // at the last compareSpeeds: Pool.awaits
	mixed     bool       // endpoints are of different speed: compareSpeeds
	fastest   fastest
	wholes    wholes
}

// sample is a response's first token.
type sample struct {
	tokens  float64 // that had to be computed before it: those queued at the endpoint when it was sent there, and the prompt's own without those cached
	pairs   float64 // of those tokens and all before them in their prompts, to which they attend
	seconds float64
	crowded bool // it waited for KV memory
}

// learn takes a response's time to its first token.
func (p *Pool) learn(i int, s sample) {
	if !(s.tokens > 0 && s.seconds > 0) {
		return
	}
	e, tokens, seconds := &p.ends[i], s.tokens, s.seconds
	p.rates.fastest.note(seconds / e.speed.times())
	if e.speed.ready() || p.rates.pool.ready() {
		expected := p.Overhead(i) + tokens*p.PerToken(i)
		if f := &e.speed; f.ready() && f.Sums[sumN] < distinct { // one stall is a surprise, but not a slow endpoint's second response
			expected = max(expected, f.base+tokens*f.slope)
		}
		seconds = min(seconds, surprise*expected)
	}
	p.rates.pool.add(tokens, seconds, s.pairs)
	p.rates.pool.solve()
	if !s.crowded {
		e.speed.add(tokens, seconds, s.pairs)
		p.rates.learned = true
		p.solve(i)
	}
}

func (p *Pool) solve(i int) {
	if e := &p.ends[i]; e.speed.ready() {
		e.speed.solve()
	}
}

// line is that of an endpoint of mean speed.
func (p *Pool) line() *fit {
	if p.rates.mixed {
		return &p.rates.even
	}
	return &p.rates.pool
}

// Speed is the seconds that the pool's endpoints take to compute a prompt token; false before enough responses have shown it.
func (p *Pool) Speed() (perToken float64, known bool) {
	f := p.line()
	return f.slope, f.Sums[sumN] >= enough
}

// Usual is PerToken of an endpoint of mean speed, 1e-7 to 0.1.
func (p *Pool) Usual() float64 {
	if f := p.line(); f.ready() {
		return f.slope
	}
	return AssumedPerToken
}

// PerToken is the seconds that endpoint i takes to compute a prompt token.
func (p *Pool) PerToken(i int) float64 {
	return p.Usual() * p.ends[i].speed.times()
}

// Overhead is the seconds that every response of endpoint i takes beside computing the prompt.
func (p *Pool) Overhead(i int) float64 { return p.line().base * p.ends[i].speed.times() }

// OverheadTokens is the prompt tokens that an endpoint of mean speed computes in the time that every response takes beside computing its
// prompt. Where all are of equal speed it is 0: it is the same at each. What lines and curves begin with is partly time in the queues of
// clients that nobody knows, so it is no more than the fastest of the last responses took.
func (p *Pool) OverheadTokens() float64 {
	r := &p.rates
	if !r.mixed {
		return 0
	}
	return max(min(r.curve[0], r.even.base, r.fastest.seconds()), 0) / r.even.slope
}

// fastest is the least time to the first token of the last one to two hundred responses, in seconds, as it would be at an endpoint of
// mean speed.
type fastest struct {
	before, now float64 // of the hundred before, and of those since; 0: there are none
	n           int     // those since
}

func (f *fastest) note(seconds float64) {
	if f.n == fastestOf {
		*f = fastest{before: f.now}
	}
	if f.n++; f.now == 0 || seconds < f.now {
		f.now = seconds
	}
}

func (f *fastest) seconds() float64 {
	if f.before > 0 {
		return min(f.before, f.now)
	}
	return f.now
}
