// Package load keeps what is known of how busy each endpoint is, and whether it is well. Slots are indexed like the
// configured endpoints. Time is an argument, in nanoseconds of any clock that does not run backwards.
//
// What to tell it, and when (route.Router does it for the module and for the simulator):
//
//	Begin       a request goes to an endpoint, with the prompt tokens that are to be computed there
//	FirstToken  the first part of a streamed answer has come
//	End         it is over, and how; End without FirstToken is fine
//	SetOthers   the in-flight counts of the other workers of this proxy were read (see Sum)
//	Scraped     a page of metrics was read (see Scrape)
//	Tick        about once a second
package load

// Table is what one worker knows. It is not safe for concurrent use.
type Table struct {
	ends  []end
	total int // in flight: own and others'
	own   int // in flight, own
	rates rates
}

// end is what is known of one endpoint.
type end struct {
	own, others int
	weight      int
	draining    bool // to be given no new requests
	out         bool // who knows the pool says that it cannot serve
	gone        bool // not in the pool; what is in flight there still ends

	// Prompt tokens on their way through prefill. Streamed answers show when theirs are done; of the others it is
	// only known how fast the endpoint works.
	waiting  int     // own streams without a first token
	queued   float64 // their tokens
	since    int64   // when the endpoint began with the first of them
	unseen   float64 // tokens of requests whose answer is not streamed, at unseenAt
	unseenAt int64

	recent   float64 // requests sent lately: each weighs e^(−age ÷ WorkSpan)
	work     float64 // their tokens, weighed alike
	recentAt int64

	scrape scrape
	speed  fit
	step   float64 // seconds between tokens of a stream, smoothed; 0: not known
	health health
}

// WorkSpan is the memory of Work, in nanoseconds: a minute, long against one prompt and short against a change of
// traffic.
const WorkSpan = 60e9

// NewTable returns a table of n idle endpoints of weight 1.
func NewTable(n int) *Table {
	t := &Table{}
	t.Grow(n)
	return t
}

// Grow makes room for n endpoints; the new ones are idle and of weight 1.
func (t *Table) Grow(n int) {
	for len(t.ends) < n {
		t.ends = append(t.ends, end{weight: 1})
	}
}

// Len is the number of endpoints.
func (t *Table) Len() int { return len(t.ends) }

// InFlight is the number of requests in flight at endpoint i, this worker's and the others'.
func (t *Table) InFlight(i int) int { return t.ends[i].own + t.ends[i].others }

// OwnInFlight is the number of this worker's requests in flight at endpoint i: what it publishes.
func (t *Table) OwnInFlight(i int) int { return t.ends[i].own }

// Total is the number of requests in flight at all endpoints.
func (t *Table) Total() int { return t.total }

// SetWeight sets the share of the load that endpoint i is meant to bear, at least 1.
func (t *Table) SetWeight(i, weight int) { t.ends[i].weight = max(weight, 1) }

// Weight is the share of the load that endpoint i is meant to bear.
func (t *Table) Weight(i int) int { return t.ends[i].weight }

// Bears says whether endpoint i is to get its share of new requests: it is in the pool, well and not draining.
func (t *Table) Bears(i int) bool { return t.Present(i) && !t.Down(i) && !t.Draining(i) }

// SetState sets what who knows the pool says of endpoint i: out, that a health check or the like speaks against it, and
// draining, that it is to get no new requests while others can have them. It reports whether the endpoint came back from
// either; such a one has joined anew.
func (t *Table) SetState(i int, out, draining bool, now int64) (back bool) {
	bore := t.Bears(i)
	t.ends[i].out, t.ends[i].draining = out, draining
	if back = !bore && t.Bears(i); back {
		t.Join(i, now)
	}
	return back
}

// Remove takes endpoint i out of the pool: all that was learned of it is forgotten, but for the requests in flight.
func (t *Table) Remove(i int) {
	e := &t.ends[i]
	*e = end{own: e.own, others: e.others, weight: 1, gone: true}
}

// Return puts endpoint i into the pool, or back into it, as a new one: what requests that were there when it left have
// told since, failures above all, is forgotten.
func (t *Table) Return(i int, now int64) {
	e := &t.ends[i]
	*e = end{own: e.own, others: e.others, weight: e.weight}
	t.Join(i, now)
}

// Present says whether endpoint i is in the pool.
func (t *Table) Present(i int) bool { return !t.ends[i].gone }

// SetOthers sets the requests that other workers have in flight at endpoint i.
func (t *Table) SetOthers(i, inFlight int) {
	e := &t.ends[i]
	t.total += max(inFlight, 0) - e.others
	e.others = max(inFlight, 0)
}

// Acquire counts one more request in flight at endpoint i, of which nothing else is known.
func (t *Table) Acquire(i int) {
	t.ends[i].own++
	t.own++
	t.total++
}

// Release counts one request fewer at endpoint i. A release without its Acquire is ignored: a count never
// falls below zero, where it would draw traffic for ever.
func (t *Table) Release(i int) {
	if t.ends[i].own == 0 {
		return
	}
	t.ends[i].own--
	t.own--
	t.total--
}

// Begin counts a request in flight at endpoint i, with tokens ≥ 0 of its prompt to be computed there. streams says
// that FirstToken will tell when they are done.
func (t *Table) Begin(i int, now int64, tokens float64, streams bool) {
	t.Acquire(i)
	e := &t.ends[i]
	faded := e.faded(now)
	e.recent, e.work, e.recentAt = e.recent*faded+1, e.work*faded+tokens, now
	e.health.probed(now)
	e.health.ask(now, t.Queued(i, now)+tokens)
	if !streams {
		e.unseen, e.unseenAt = t.drained(i, now)+tokens, now
		return
	}
	if e.waiting == 0 {
		e.since = now
	}
	e.waiting++
	e.queued += tokens
}

// FirstToken says that a stream's answer has begun: the tokens that its Begin was given are computed.
func (t *Table) FirstToken(i int, now int64, tokens float64) {
	t.leave(i, now, tokens)
	t.ends[i].health.moved(now)
}

// Withdraw takes back a Begin whose request went elsewhere, or ended, before its first token: its tokens are not
// computed there. (Those of an answer that is not streamed are forgotten as the endpoint works on.)
func (t *Table) Withdraw(i int, now int64, tokens float64) { t.leave(i, now, tokens) }

func (t *Table) leave(i int, now int64, tokens float64) {
	e := &t.ends[i]
	if e.waiting == 0 {
		return
	}
	e.waiting--
	e.since = now
	if e.queued -= tokens; e.queued < 0 || e.waiting == 0 {
		e.queued = 0
	}
}

// Queued is the number of prompt tokens at endpoint i that are not computed yet: of this worker's requests, and of the
// others' as many for each in flight as in the mean over this worker's.
func (t *Table) Queued(i int, now int64) float64 {
	e := &t.ends[i]
	queued := e.queued
	if e.waiting > 0 {
		// The first one is under way. It is taken for as long as the mean of those that wait.
		done := float64(now-e.since) / 1e9 / t.PerToken(i)
		queued -= min(max(done, 0), queued/float64(e.waiting))
	}
	queued += t.drained(i, now)
	if e.own > 0 && e.others > 0 {
		queued += queued * float64(e.others) / float64(e.own)
	}
	return queued
}

// drained is what is left at now of the tokens whose end nobody sees.
func (t *Table) drained(i int, now int64) float64 {
	e := &t.ends[i]
	if e.unseen == 0 {
		return 0
	}
	return max(e.unseen-max(float64(now-e.unseenAt), 0)/1e9/t.PerToken(i), 0)
}

// Work is what endpoint i was given lately: requests, and prompt tokens to compute, each weighing e^(−age ÷ WorkSpan).
// Divided by WorkSpan they are the rates of arrival.
func (t *Table) Work(i int, now int64) (requests, tokens float64) {
	e := &t.ends[i]
	faded := e.faded(now)
	return e.recent * faded, e.work * faded
}

// Join says that endpoint i is new, or has come back: it counts as given as much lately as the others were for its
// weight. It gets its share of new prompts at once, and not all of them until it has caught up.
func (t *Table) Join(i int, now int64) {
	var requests, tokens float64
	weight := 0
	for j := range t.ends {
		if j != i && t.Bears(j) { // who is given nothing says nothing of what is fair
			r, w := t.Work(j, now)
			requests, tokens, weight = requests+r, tokens+w, weight+t.ends[j].weight
		}
	}
	if weight == 0 {
		return
	}
	e := &t.ends[i]
	share := float64(e.weight) / float64(weight)
	e.recent, e.work, e.recentAt = requests*share, tokens*share, now
}

func (e *end) faded(now int64) float64 {
	if e.recent == 0 {
		return 0
	}
	return fade(float64(now-e.recentAt) / WorkSpan)
}
