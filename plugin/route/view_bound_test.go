package route

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/pool"
)

// showing tells of a page of endpoint i's metrics that shows n requests, and of the tick after it.
func showing(r rig, i int, now int64, n float64) {
	r.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: n})
	r.Tick(now)
}

// What other clients have at a prompt's home counts for its bound, as long as its page is fresh.
func TestOthersRequestsCountForTheBound(t *testing.T) {
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		r, d := routerOf(p, 3), new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, 20), Now: second}, d)
		home := d.Order[0]
		r.begin(d, second)
		r.end(d, 2*second, pool.Outcome{})
		for _, c := range []struct {
			name    string
			at, now int64
			running float64
			bounded bool
		}{
			{"one other", 2 * second, 2 * second, 1, false},
			{"forty others", 3 * second, 3 * second, 40, true},
			{"forty others, a minute ago", 3 * second, 63 * second, 40, false},
		} {
			showing(r, home, c.at, c.running)
			r.Pick(&decision.Request{Prompt: chat(1, 20), Now: c.now}, d)
			if bounded := r.view.class[home] == over; bounded != c.bounded || (d.Order[0] == home) == c.bounded {
				t.Errorf("%s: %v, %v of %v with home %d", c.name, d.Reason, d.Order, d.Terms, home)
			}
			if got := r.AtBound(c.now); got != c.bounded {
				t.Errorf("%s: an endpoint was at its bound in the last minute: %v", c.name, got)
			}
		}
	})
}

// A replica that other clients fill, or whose page lies, is left alone, and lifts the bound of nobody else.
func TestOneFullEndpointLiftsNoBound(t *testing.T) {
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		for _, others := range []float64{300, 5000, 1e18} {
			r := routerOf(p, 8)
			for i := range 400 {
				d, now := new(decision.Decision), second+int64(i)*5e7
				showing(r, 3, now, others)
				r.Pick(&decision.Request{Prompt: chat(1, 20), Now: now}, d)
				r.begin(d, now)
				r.firstToken(d, now+1e7)
			}
			for i := range 8 {
				if got := r.InFlight(i); got > 76 { // 1.25 × 400 ÷ 7, and the margin of 4
					t.Errorf("%v others at endpoint 3: %d of 400 requests in flight are at endpoint %d", others, got, i)
				}
			}
		}
	})
}

// Nor does one whose pages say something else each time make the others seem as full as it does on average.
func TestChangingPageLiftsNoBound(t *testing.T) {
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		most := map[float64]int{}
		for _, others := range []float64{0, 1e4, 1e6} {
			r := routerOf(p, 8)
			for i := range 400 {
				d, now := new(decision.Decision), second+int64(i)*5e7
				if i%20 == 0 {
					for e := range 8 {
						l := exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: float64(r.InFlight(e))}
						if e == 3 && i%40 == 0 {
							l.Waiting = others
						}
						r.ApplyMetrics(e, now, &l)
					}
					r.Tick(now)
				}
				r.Pick(&decision.Request{Prompt: chat(1, 20), Now: now}, d)
				r.begin(d, now)
				r.firstToken(d, now+1e7)
			}
			for i := range 8 {
				most[others] = max(most[others], r.InFlight(i))
			}
			if got, want := most[others], most[0]+30; got > want {
				t.Errorf("%v others now and then at endpoint 3: %d of 400 requests in flight are at one endpoint, want %d at most", others, got, want)
			}
		}
	})
}

// Counts between a page that fades and what was sent are fractions; even with the least bound somebody is below it.
func TestSomebodyIsBelowTheBound(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	least := config.Bound{LoadFactor: 1}
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		for range 2000 {
			n := 1 + random.IntN(4)
			r := newRig(setup{policy: p, replicas: n, change: func(c *config.Config) {
				c.PrefixHash.Bound, c.CacheAware.Bound, c.ExpectedTtft.Bound = least, least, least
			}}.config(), 1)
			for i := range n {
				showing(r, i, second, []float64{0, 1, 2, 3, 1000, 1e18}[random.IntN(6)])
			}
			r.Pick(&decision.Request{Prompt: chat(1, 2), Now: 7 * second}, new(decision.Decision))
			if !slices.Contains(r.view.class, well) {
				t.Fatalf("all of %v are at their bound", r.view.all)
			}
		}
	})
}

// Below the bound, too, cache_aware goes by every client's requests.
func TestBusyTermCountsOthersRequests(t *testing.T) {
	r, d := routerOf(config.PolicyCacheAware, 3), new(decision.Decision)
	r.Pick(&decision.Request{Prompt: chat(0, 20), Now: second}, d)
	home := d.Order[0]                       // the ring's for what all begin with
	for _, others := range []float64{0, 6} { // 7 are at the bound
		showing(r, home, second, others)
		there := 0
		for session := range 60 {
			if r.Pick(&decision.Request{Prompt: chat(session, 20), Now: second}, d); d.Order[0] == home {
				there++
			}
		}
		if got := there > 0; got != (others == 0) {
			t.Errorf("%v others at one of three: it is given %d of 60 new prompts", others, there)
		}
		if r.view.class[home] != well {
			t.Errorf("%v others: it is at the bound, which hides the term", others)
		}
	}
}

// A conversation that has moved is held where it went once it has been computed there: until then its next turns stay where it was.
func TestTurnsDoNotWaitForAMove(t *testing.T) {
	for _, computed := range []bool{false, true} {
		r, d := routerOf(config.PolicyCacheAware, 3), new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, 800), Now: second}, d) // 25,000 tokens
		home, now := d.Order[0], 20*second
		r.begin(d, second)
		r.firstToken(d, 2*second)
		r.end(d, 2*second, pool.Outcome{})
		r.add(home, 12)
		r.Pick(&decision.Request{Prompt: chat(1, 801), Now: now}, d)
		r.Match(&d.Flight)
		r.Expect(&d.Flight, (home+1)%3)
		r.Begin(&d.Flight, (home+1)%3, now)
		if computed {
			r.firstToken(d, now+second/10)
		}
		r.Pick(&decision.Request{Prompt: chat(1, 802), Now: now + second/10}, d)
		if got := d.Order[0] == home; got == computed {
			t.Errorf("computed where it went: %v; the next turn stays: %v, %v", computed, got, d.Terms)
		}
	}
}

// A long conversation is not computed anew because its endpoint has a request too many; a short one goes.
func TestLongConversationsStay(t *testing.T) {
	for _, c := range []struct {
		turns, others int
		stays         bool
	}{
		{800, 8, true}, // 25,000 tokens, at the bound
		{800, 12, true},
		{800, 400, false}, // that many more
		{6, 12, false},    // 250 tokens
		{6, 0, true},
	} {
		r, d := routerOf(config.PolicyCacheAware, 3), new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, c.turns), Now: second}, d)
		home := d.Order[0]
		r.begin(d, second)
		r.firstToken(d, 2*second)
		r.end(d, 2*second, pool.Outcome{})
		r.add(home, c.others)
		r.Pick(&decision.Request{Prompt: chat(1, c.turns), Now: 3 * second}, d)
		if got := d.Order[0] == home; got != c.stays {
			t.Errorf("%d turns, %d others: stays %v; %v of %v, %v", c.turns, c.others, got, d.Reason, d.Order, d.Terms)
		}
	}
}
