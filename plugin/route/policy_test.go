package route

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

const second = int64(1e9)

// policies calls f for each.
func eachPolicy(t *testing.T, f func(t *testing.T, p config.Policy)) {
	for p := range config.Policies {
		t.Run(p.String(), func(t *testing.T) { f(t, p) })
	}
}

// boundedPolicies calls f for those that have a bound of the requests in flight.
func boundedPolicies(t *testing.T, f func(t *testing.T, p config.Policy)) {
	for _, p := range []config.Policy{config.PolicyPrefixHash, config.PolicyCacheAware, config.PolicyExpectedTTFT} {
		t.Run(p.String(), func(t *testing.T) { f(t, p) })
	}
}

// chat is a request of a session: a system prompt that all share, and turns of its own.
func chat(session, turns int) *prompt.Prompt {
	text := []byte(fmt.Sprintf("%0256d", 7))
	for turn := range turns {
		text = append(text, fmt.Sprintf("%064d%064d", session, turn)...)
	}
	return &prompt.Prompt{
		Format: prompt.Chat, Model: []byte("m"), Text: text, BlockBytes: textBlock, SystemLen: 256, BodyBytes: len(text), Stream: true,
		Session: text[256:min(len(text), 320)], SessionFrom: prompt.FirstUserTurn,
	}
}

// run sends n requests through r, 20 a second, and ends each a second later, but for those that broken says fail at
// once. Of 40 sessions two are replaced each second.
func run(r rig, random *rand.Rand, from int64, n int, broken func(endpoint int) bool) (to []int) {
	type live struct {
		d     *decision.Decision
		bytes int // of its prompt
		end   int64
	}
	var open []live
	for i := range n {
		now := from + int64(i)*second/20
		for len(open) > 0 && open[0].end <= now {
			d := open[0].d
			r.firstToken(d, now)
			r.end(d, now, pool.Outcome{Usage: true, PromptTokens: open[0].bytes / 4, CachedTokens: d.Matched * 16})
			open = open[1:]
		}
		d := new(decision.Decision)
		p := chat(int(now/second*2)+random.IntN(40), 1+random.IntN(20))
		r.Pick(&decision.Request{Prompt: p, Now: now}, d)
		r.begin(d, now)
		to = append(to, d.Order[0])
		if broken != nil && broken(d.Order[0]) {
			r.end(d, now, pool.Outcome{Ending: health.Failed})
			continue
		}
		open = append(open, live{d, len(p.Text), now + second})
	}
	for _, l := range open {
		r.end(l.d, l.end, pool.Outcome{})
	}
	return to
}

func routerOf(p config.Policy, n int) rig {
	return newRig(setup{policy: p, replicas: n}.config(), 42)
}

func TestOrders(t *testing.T) {
	eachPolicy(t, func(t *testing.T, p config.Policy) {
		for _, n := range []int{1, 2, 3, 20} {
			r, random := routerOf(p, n), rand.New(rand.NewPCG(1, 1))
			for i := range 300 {
				now := int64(i) * second / 10
				for e := range n {
					r.SetState(e, false, random.IntN(5) == 0, now)
					r.answer(e, now, []health.Ending{health.Answered, health.Answered, health.Failed}[random.IntN(3)])
				}
				req := decision.Request{Prompt: chat(random.IntN(9), random.IntN(9)), Now: now}
				if random.IntN(5) == 0 {
					req.Prompt, req.Why = nil, "broken_json"
				}
				d := new(decision.Decision)
				r.Pick(&req, d)
				if len(d.Order) != min(3, n) {
					t.Fatalf("%d endpoints: order %v", n, d.Order)
				}
				sorted := slices.Clone(d.Order)
				if slices.Sort(sorted); len(slices.Compact(sorted)) != len(d.Order) || sorted[0] < 0 || sorted[len(sorted)-1] >= n {
					t.Fatalf("%d endpoints: order %v", n, d.Order)
				}
				ill := func(e int) bool { return r.Health.Down(e) || r.Health.Draining(e) }
				for at := 1; at < len(d.Order); at++ {
					if ill(d.Order[at-1]) && !ill(d.Order[at]) && !(at == 1 && d.Reason == decision.Probe) {
						t.Fatalf("%v: %d, which is not well, comes before %d (%v)", d.Order, d.Order[at-1], d.Order[at], d.Reason)
					}
				}
				if d.Reason == decision.Probe && !r.Health.Down(d.Order[0]) {
					t.Fatalf("a probe of an endpoint that is well")
				}
				if covered := d.Chain.Covered(d.Total); req.Prompt != nil && (covered > len(req.Prompt.Text) || covered < len(req.Prompt.Text)*7/8) {
					t.Fatalf("%d blocks cover %d bytes of %d", d.Total, covered, len(req.Prompt.Text))
				}
				if text := string(d.Append(nil, r.Endpoints)); len(text) < 30 {
					t.Fatalf("decision %q", text)
				}
				r.begin(d, now)
				r.end(d, now, pool.Outcome{Usage: true, PromptTokens: 100})
				r.Tick(now)
			}
		}
	})
}

func TestSameHistorySameDecisions(t *testing.T) {
	eachPolicy(t, func(t *testing.T, p config.Policy) {
		var first []int
		for range 2 {
			to := run(routerOf(p, 5), rand.New(rand.NewPCG(3, 3)), second, 400, nil)
			if first == nil {
				first = to
			} else if !slices.Equal(first, to) {
				t.Error("two runs differ")
			}
		}
	})
}

func TestFailingEndpointIsLeftAndReturns(t *testing.T) {
	eachPolicy(t, func(t *testing.T, p config.Policy) {
		r, random := routerOf(p, 4), rand.New(rand.NewPCG(5, 5))
		run(r, random, second, 400, nil)
		victim := 2
		at := 21*second + 5*second
		failed := 0
		run(r, random, at, 400, func(e int) bool { // 20 s
			if e == victim {
				failed++
			}
			return e == victim
		})
		if failed > 20+5 { // those of a second at most, and probes after 1, 2, 4 and 8 s
			t.Errorf("%d requests went to an endpoint that fails at once", failed)
		}
		share := 0
		to := run(r, random, at+200*second, 2500, nil)
		for _, e := range to[500:] { // one turnover of the sessions later
			if e == victim {
				share++
			}
		}
		if r.Health.Down(victim) {
			t.Fatal("it is still down")
		}
		if p == config.PolicyPrefixKey || p == config.PolicyPrefixHash || p == config.PolicyLRUMatch {
			return // all share a system prompt: these have no fair share here
		}
		if share < 250 || share > 800 {
			t.Errorf("after its return it got %d of 2000 requests; fair are 500", share)
		}
	})
}

func TestPickDoesNotAllocate(t *testing.T) {
	eachPolicy(t, func(t *testing.T, p config.Policy) {
		r := routerOf(p, 64)
		run(r, rand.New(rand.NewPCG(1, 2)), second, 500, nil)
		req := decision.Request{Prompt: chat(3, 20), Now: 100 * second}
		d := new(decision.Decision)
		r.Pick(&req, d)
		if got := testing.AllocsPerRun(100, func() {
			r.Pick(&req, d)
			r.begin(d, req.Now)
			r.firstToken(d, req.Now)
			r.end(d, req.Now, pool.Outcome{Usage: true, PromptTokens: 700, CachedTokens: 16})
		}); got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}

// Only the keys of an endpoint that is away move, and they come back with it.
func TestOnlyItsKeysMove(t *testing.T) {
	for _, p := range []config.Policy{config.PolicySessionAffinity, config.PolicyPrefixHash} {
		r := newRig(setup{policy: p, replicas: 6, change: func(c *config.Config) { c.PrefixHash.PrefixChars = 330 }}.config(), 1)
		where := func() (to []int) {
			d := new(decision.Decision)
			for s := range 300 {
				r.Pick(&decision.Request{Prompt: chat(s, 2), Now: second}, d)
				to = append(to, d.Order[0])
			}
			return to
		}
		before := where()
		r.SetState(4, false, true, second)
		for s, e := range where() {
			if before[s] != 4 && e != before[s] || e == 4 {
				t.Errorf("%v: session %d moved from %d to %d as 4 was drained", p, s, before[s], e)
			}
		}
		if r.SetState(4, false, false, second); !slices.Equal(where(), before) {
			t.Errorf("%v: not all came back", p)
		}
	}
}

// A bound is kept, but for what a prompt that would have to be computed anew is worth.
func TestBoundIsNeverExceeded(t *testing.T) {
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		r, random := routerOf(p, 5), rand.New(rand.NewPCG(1, 9))
		cfg := setup{policy: p, replicas: 5}.config()
		bound := map[config.Policy]config.Bound{config.PolicyPrefixHash: cfg.PrefixHash.Bound,
			config.PolicyCacheAware: cfg.CacheAware.Bound, config.PolicyExpectedTTFT: cfg.ExpectedTtft.Bound}[p]
		excused := 0.0
		if p == config.PolicyCacheAware {
			excused = 700 / crowded // of prompts with as many tokens
		}
		var held []int
		refused := 0
		for i := range int64(3000) {
			now := second + i*second // so few a second that no beginning is worth a copy everywhere
			if random.IntN(3) == 0 && len(held) > 0 {
				r.add(held[0], -1)
				held = held[1:]
				continue
			}
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(random.IntN(3), 20), Now: now}, d)
			r.RecordVisit(d.Order[0], &pool.Visit{Chain: &d.Chain, At: now}, now)
			r.add(d.Order[0], 1)
			if above := float64(r.InFlight(d.Order[0])) - r.view.most(d.Order[0], bound); above > excused {
				t.Fatalf("%d in flight, bound %v", r.InFlight(d.Order[0]), r.view.most(d.Order[0], bound))
			}
			if d.Reason == decision.Bounded {
				refused++
			}
			held = append(held, d.Order[0])
		}
		if refused == 0 {
			t.Error("no decision says that the bound was reached")
		}
	})
}

// A hot prompt whose answers take long costs its home nothing to compute: without a bound it would have them all.
func TestHotPromptWithLongAnswers(t *testing.T) {
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		r, random := routerOf(p, 8), rand.New(rand.NewPCG(2, 3))
		for i := range 400 {
			d, prompt, now := new(decision.Decision), chat(1, 20), second+int64(i)*5e7
			if random.IntN(5) == 0 {
				prompt = chat(1000+i, 20)
			}
			r.Pick(&decision.Request{Prompt: prompt, Now: now}, d)
			r.begin(d, now)
			r.firstToken(d, now+1e7)
		}
		for i := range 8 {
			if got := r.InFlight(i); got > 67+700/crowded { // 1.25 × 400 ÷ 8, the margin of 4, and what a prompt of 700 tokens is worth
				t.Errorf("%d of 400 requests in flight are at one of eight", got)
			}
		}
	})
}

// A system prompt that most requests share is held everywhere, and does not make a hot spot.
func TestHotSystemPrompt(t *testing.T) {
	for _, p := range []config.Policy{config.PolicyCacheAware, config.PolicyExpectedTTFT} {
		r, random := routerOf(p, 8), rand.New(rand.NewPCG(8, 8))
		to := run(r, random, second, 4000, nil)
		count := make([]int, 8)
		for _, e := range to[1000:] {
			count[e]++
		}
		if most := slices.Max(count); float64(most) > 1.4*3000/8 {
			t.Errorf("%v: requests by endpoint %v", p, count)
		}
	}
}
