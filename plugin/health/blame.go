package health

// Whether an error is the endpoint's or the request's is not known from one: a prompt can make any replica answer 500, or
// break off. So failures put an endpoint down only if they come one after the other for a while, with no sign of life
// from it between them, while another endpoint has given one; and if they are of several requesters. Requests with the
// same prompt, or from the same client, count as one. Where all come from one address, that of another proxy for instance,
// more failures in a longer time take the place of several requesters. At most failShare of the pool may be out for
// this reason. A connection that was refused is the endpoint's own: it needs none of this.

// Blame names the client that sent a request, as far as it is known; 0: it is not.
type Blame struct {
	Prompt uint64 // its last block
	Client uint64 // the address it came from, hashed
}

const (
	blamed     = 3    // requesters
	blamedLong = 8    // failures, of whomever
	leastSpell = 5e8  // nanoseconds from the first failure to the one that puts an endpoint down
	longSpell  = 3e9  // the same for blamedLong
	blameSpan  = 60e9 // nanoseconds for which a requester is remembered
	failShare  = 0.5  // of the pool
	remembered = 8    // requesters
)

// spell is an endpoint's failures since its last sign of life.
type spell struct {
	from  int64 // the first one, ns; 0: none
	n     int
	whose int // of different requesters
}

// blames remembers the latest requesters whose requests failed at an endpoint.
type blames struct {
	list [remembered]struct {
		Blame
		at int64
	}
	next uint // it wraps around
}

// add says whether a failure is of a requester that is not remembered.
func (b *blames) add(who Blame, now int64) bool {
	if who != (Blame{}) {
		for i := range b.list {
			e := &b.list[i]
			same := who.Prompt != 0 && e.Prompt == who.Prompt || who.Client != 0 && e.Client == who.Client
			if same && now-e.at < blameSpan && now >= e.at {
				return false
			}
		}
	}
	e := &b.list[b.next%remembered]
	e.Blame, e.at = who, now
	b.next++
	return true
}

// fail records a failure at endpoint i whose cause is not known, and says whether the endpoint is to go down.
func (e *Endpoints) fail(i int, now int64, who Blame) bool {
	r := &e.list[i].record
	s := &r.spell
	if s.from == 0 || now < s.from {
		*s = spell{from: now}
	}
	s.n++
	if r.blames == nil {
		r.blames = new(blames)
	}
	if r.blames.add(who, now) {
		s.whose++
		r.failing = r.failingAt(now)
		r.failing += (1 - r.failing) * errorWeight
		r.judged = now
	}
	long := now - s.from
	enough := s.whose >= blamed && long >= leastSpell || s.n >= blamedLong && long >= longSpell
	return enough && e.othersLive(i, s.from) && e.mayFail()
}

// othersLive says whether another endpoint has given a sign of life since.
func (e *Endpoints) othersLive(i int, since int64) bool {
	for j := range e.list {
		if j != i && e.Serving(j) && e.list[j].lived >= since {
			return true
		}
	}
	return false
}

// mayFail says whether one more endpoint may be out for its failures.
func (e *Endpoints) mayFail() bool {
	out := 0
	for i := range e.list {
		if r := &e.list[i].record; r.down && r.failed {
			out++
		}
	}
	return out < max(int(failShare*float64(e.size)), 1)
}
