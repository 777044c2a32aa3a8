package health

import "warmroute/plugin/recent"

// A replica that answers at once and computes nothing has no queue: it looks idle, and draws what goes by load. Whether the answer is its fault
// or the request's is not known from one. But requests that any endpoint could have had are alike at all of them: where one lets far more of
// those go without a token than the others do, the difference is its own. Then it is tried after the others. They get what it would have,
// and if they give no tokens either, that acquits it. What is counted fades within minutes, and so it is tried again.
//
// A client cannot choose where such requests go. Those that go by what an endpoint holds, or by the ring, do not count: a client could send
// bad ones to one endpoint so.

const (
	barrenShare = 1. / 3 // of those of its requests that the others would have answered
	yieldSpan   = 120e9  // nanoseconds in which what is counted falls to 1 ÷ e,
	yieldEnds   = 16     // and requests of each endpoint, if these take longer
	barrenRow   = 8      // requests, from which it gives none whatever it is sent
	barrenSure  = 3      // standard deviations of what chance does
)

// yields are what all endpoints have in common of that.
type yields struct {
	barren int   // endpoints that are
	at     int64 // the last FindBarren, ns
	ended  int   // requests that have ended since
}

// yield is the requests that an endpoint got by load and that have ended, and those of them without a token. Both fade.
type yield struct {
	ended, empty float64
	row          int // requests without a token since the last that had some, however they were sent there
	barren       bool
}

// Yields counts a request of endpoint i that was answered or refused: drawn says that any endpoint could have had it, and empty that it ended
// without a token. It says whether the endpoint's class may have changed; any others' may have, too.
func (e *Endpoints) Yields(i int, drawn, empty bool, now int64) (changed bool) {
	y := &e.list[i].yield
	y.row++
	if !empty {
		y.row = 0
	}
	if !drawn {
		return false
	}
	e.yields.ended++
	if y.ended++; !empty {
		return false
	}
	y.empty++
	return e.FindBarren(now)
}

// FindBarren compares the endpoints, and says whether one is barren that was not, or the other way round. At most half of the pool is. To be
// called about once a second.
func (e *Endpoints) FindBarren(now int64) (changed bool) {
	all := &e.yields
	faded := recent.Weight(min(float64(now-all.at)/yieldSpan, float64(all.ended)/float64(yieldEnds*max(e.size, 1))))
	all.at, all.ended = now, 0
	sum := yield{ended: 1, empty: 1} // what one lets go is its own fault only once the others have shown something
	for i := range e.list {
		y := &e.list[i].yield
		if !e.Serving(i) {
			changed = changed || y.barren
			*y = yield{}
		}
		y.ended, y.empty = y.ended*faded, y.empty*faded
		sum.ended, sum.empty = sum.ended+y.ended, sum.empty+y.empty
	}
	all.barren = 0
	for i := range e.list {
		y := &e.list[i].yield
		others := sum.ended - y.ended
		chance := y.ended * (sum.empty - y.empty) / others
		more, scatter := y.empty-chance, 1+chance*(1+y.ended/others)
		was := y.barren
		y.barren = more > barrenShare*(y.ended-chance) && more*more > barrenSure*barrenSure*scatter && 2*all.barren+2 <= e.size
		if y.barren {
			all.barren++
		}
		changed = changed || y.barren != was
	}
	return changed
}

// Barren says whether endpoint i lets far more requests go without a token than the others do.
func (e *Endpoints) Barren(i int) bool { return e.list[i].yield.barren }

// AnyBarren says whether an endpoint does.
func (e *Endpoints) AnyBarren() bool { return e.yields.barren > 0 }

// GivesNone says whether endpoint i gives no request a token, whatever it is sent.
func (e *Endpoints) GivesNone(i int) bool { return e.list[i].yield.row >= barrenRow }
