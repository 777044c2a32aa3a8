// Package speed learns how fast each endpoint of one pool computes prompts, from its responses.
//
// A line is fitted to the time to the first token over the tokens that had to be computed before it (those queued ahead and the
// prompt's own), by least squares over about the last hundred responses of each worker. The slope is seconds per token, the
// intercept the cost of every response (the network, one step of the batch). Of the first few responses the line goes through the
// origin: of several gateways each has seen few, and a wrong speed costs more than a rough one. There is one line for the pool, and
// where endpoints are of different speed (compare.go), a factor for each. Where nearly no response is streamed, whole ones are learned
// from (whole.go). The workers of a proxy, and gateways, learn together (sums.go).
//
// All state is indexed by endpoint. Time is an argument, in nanoseconds.
package speed

// Bounds and constants of the fits.
const (
	// AssumedPerToken is seconds per prompt token before anything is learned: 10,000 tokens a second, about an 8B
	// model on one GPU of 2023. It is the same for all endpoints, so it decides nothing among equals.
	AssumedPerToken = 1e-4

	// Keep is the factor of the weight of earlier responses at each new one.
	Keep = 0.99

	enough    = 8   // responses before a line has a base: until then it goes through the origin
	surprise  = 4   // × the expected time: a slower response counts as this, so that one stall changes little
	distinct  = 30  // responses of an endpoint up to which its own line, too, says what is a surprise
	fastestOf = 100 // responses
	others    = 1.5 // × its own: tokens ahead of a response with which it says nothing of its endpoint
)

// Speeds belong to one worker's pool and are not safe for concurrent use. The zero value has no endpoints.
type Speeds struct {
	ends    []endpoint
	pool    line
	even    line // where endpoints are of different speed: that of one of mean speed
	curve   curve
	shown   []estimate // of Compare, by endpoint; zero: none
	learned bool       // since Compare
	awaited bool       // at the last Compare: awaits
	mixed   bool       // endpoints are of different speed: Compare
	apart   judged     // kinds are
	odd     judged     // endpoints of a kind are
	kinds   []kind     // the first is of those of unknown size
	fastest fastest
	wholes  wholes
}

type endpoint struct {
	line
	present bool
	kind    uint8
	size    float32 // of its KV cache, tokens; 0: not known
	slower  float64 // × the time of an endpoint of mean speed, as Compare found; 0: it is of that
	counted float64 // what counts of slower
	depth   depth   // of this worker's last responses
	underway
	slowness
}

// Response is what one response shows. Those that waited for KV memory say nothing of their endpoint's speed, and those that waited longer for
// others' prompts than for their own say little: what is left of a prompt that is being computed is not known, nor how deep it is.
type Response struct {
	Ahead    float64 // prompt tokens that were queued at the endpoint before it
	Computed float64 // tokens of its prompt, at least 1
	Cached   float64 // the rest of its prompt
	Output   float64 // tokens of the answer
	Seconds  float64 // to the first token, or to its end, from when the whole of the prompt had come
	Crowded  bool    // it waited for KV memory
}

// Add makes room for one more endpoint, which is absent.
func (s *Speeds) Add() { s.ends = append(s.ends, endpoint{}) }

// Set forgets endpoint i; present says whether one is there from now on, of which nothing is known.
func (s *Speeds) Set(i int, present bool) { s.ends[i] = endpoint{present: present} }

// Copy takes what was learned by from, of at least as many endpoints. What is under way is left.
func (s *Speeds) Copy(from *Speeds) {
	ends := s.ends
	*s = *from
	s.ends, s.shown, s.kinds = ends, nil, nil
	for i := range ends {
		e, o := &ends[i], &from.ends[i]
		e.line, e.slower, e.counted, e.depth = o.line, o.slower, o.counted, o.depth
	}
}

// First takes a streamed response of endpoint i: the time to its first token.
func (s *Speeds) First(i int, r Response) {
	s.wholes.sees(true)
	s.learn(i, s.sample(i, &r))
}

// sample is a time to the first token.
type sample struct {
	tokens  float64 // that had to be computed before it: those queued at the endpoint when it was sent there, and the prompt's own without those cached
	pairs   float64 // of those tokens and all before them in their prompts, to which they attend
	seconds float64
	waited  bool // for memory, or more for others' prompts than for its own: it says nothing of its endpoint
}

// sample is what a response of endpoint i shows if its time is that to its first token. Prompts ahead of it are taken to be as deep as
// those computed there lately.
func (s *Speeds) sample(i int, r *Response) sample {
	d := &s.ends[i].depth
	d.add(r.Computed, r.Cached)
	return sample{r.Ahead + r.Computed, ownPairs(r.Computed, r.Cached) + d.pairs(r.Ahead), r.Seconds, r.Crowded || r.Ahead > others*r.Computed}
}

func (s *Speeds) learn(i int, of sample) {
	if !(of.tokens > 0 && of.seconds > 0) {
		return
	}
	e, tokens, seconds := &s.ends[i], of.tokens, of.seconds
	s.fastest.note(seconds / e.shown())
	if e.ready() || s.pool.ready() {
		usual := s.usual().base + tokens*s.Usual()
		s.doubt(i, seconds/usual)
		expected := usual * e.shown()
		if e.ready() && e.Sums[sumN] < distinct { // one stall is a surprise, but not a slow endpoint's second response
			expected = max(expected, e.base+tokens*e.slope)
		}
		seconds = min(seconds, surprise*expected)
	}
	s.pool.add(tokens, seconds, of.pairs)
	s.pool.solve()
	if !of.waited {
		e.add(tokens, seconds, of.pairs)
		s.learned = true
		e.solve()
	}
}

// times is how many times as long it counts as taking as an endpoint of mean speed.
func (e *endpoint) times() float64 {
	if e.counted == 0 {
		return 1
	}
	return e.counted
}

// shown is how many times as long it took.
func (e *endpoint) shown() float64 {
	if e.slower == 0 {
		return 1
	}
	return e.slower
}

// usual is the line of an endpoint of mean speed.
func (s *Speeds) usual() *line {
	if s.mixed {
		return &s.even
	}
	return &s.pool
}

// Shown is the seconds that the pool's endpoints take to compute a prompt token; false before enough responses have shown it.
func (s *Speeds) Shown() (perToken float64, known bool) {
	l := s.usual()
	return l.slope, l.Sums[sumN] >= enough
}

// Usual is PerToken of an endpoint of mean speed, 1e-7 to 0.1.
func (s *Speeds) Usual() float64 {
	if l := s.usual(); l.ready() {
		return l.slope
	}
	return AssumedPerToken
}

// Times is how many times as long endpoint i takes as one of mean speed.
func (s *Speeds) Times(i int) float64 { return s.ends[i].times() }

// PerToken is the seconds that endpoint i takes to compute a prompt token.
func (s *Speeds) PerToken(i int) float64 { return s.Usual() * s.ends[i].times() }

// Overhead is the seconds that every response of endpoint i takes beside computing the prompt.
func (s *Speeds) Overhead(i int) float64 { return s.usual().base * s.ends[i].times() }

// Standing is the seconds that responses wait though the line cannot say for which tokens: where prompts are of one length and queues hardly
// vary, what they have in common is more than the fastest of them took.
func (s *Speeds) Standing() float64 { return max(s.usual().base-s.fastest.seconds(), 0) }

// Deep is so many tokens to compute of a prompt, behind those cached, in tokens of usual price: attention makes those of a long prompt
// dearer than the line says, once there are more before them than those that it was fitted to have, by this worker's responses. It is no
// less than they are (docs/rule.md).
func (s *Speeds) Deep(computed, cached float64) float64 {
	own := &s.pool.own
	return computed + deeper(computed, cached, max(own[sumXZ]/max(own[sumXX], 1), attention))
}

// deeper is what the attention of a prompt, of which so many tokens are computed and cached, takes beyond that of tokens with so many before
// them as is usual, in such tokens.
func deeper(computed, cached, usual float64) float64 {
	return max(ownPairs(computed, cached)-float64(computed*usual), 0) / (attention + usual)
}

// AtMost is PerToken and Overhead of endpoint i at the worst that it has shown. A token of one that has shown too little takes unshown
// seconds at least: its silence itself may count as slowness (addSlow).
func (s *Speeds) AtMost(i int, unshown float64) (perToken, overhead float64) {
	e := &s.ends[i]
	perToken, overhead = s.PerToken(i), s.Overhead(i)
	if !s.Knows(i) {
		perToken, overhead = max(s.Usual(), unshown), s.usual().base
	}
	return max(perToken, e.slope), overhead
}

// Knows says whether endpoint i has shown enough.
func (s *Speeds) Knows(i int) bool { return s.ends[i].Sums[sumN] >= enough }

// AtLeast is PerToken of endpoint i at the best that it has shown; false: it has shown too little.
func (s *Speeds) AtLeast(i int) (perToken float64, shown bool) {
	e := &s.ends[i]
	return min(s.PerToken(i), e.slope), s.Knows(i)
}

// OverheadTokens is the prompt tokens that an endpoint of mean speed computes in the time that every response takes beside computing its
// prompt. Where all are of equal speed it is 0: it is the same at each. What lines and curves begin with is partly time in the queues of
// clients that nobody knows, so it is no more than the fastest of the last responses took.
func (s *Speeds) OverheadTokens() float64 {
	if !s.mixed {
		return 0
	}
	return max(min(s.curve[0], s.even.base, s.fastest.seconds()), 0) / s.even.slope
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
