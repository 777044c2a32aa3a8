package speed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// newSpeeds are those of n endpoints that are there.
func newSpeeds(n int) *Speeds {
	s := &Speeds{}
	for i := range n {
		s.Add()
		s.Set(i, true)
	}
	return s
}

// answers teaches n answers of endpoint i with the given true line and a noise of that share.
func answers(all *Speeds, random *rand.Rand, i, n int, base, perToken, noise float64) {
	for range n {
		tokens := 100 + random.ExpFloat64()*5000
		all.learn(i, answered(tokens, (base+tokens*perToken)*(1+noise*random.NormFloat64())))
	}
}

// answered is a prompt of which nothing was cached.
func answered(tokens, seconds float64) sample {
	return sample{tokens: tokens, pairs: tokens * tokens / 2, seconds: seconds}
}

func TestLearnsTheLine(t *testing.T) {
	for seed := range uint64(20) {
		all := newSpeeds(2)
		if all.PerToken(0) != AssumedPerToken || all.Overhead(0) != 0 {
			t.Fatalf("before anything is learned: %v, %v", all.PerToken(0), all.Overhead(0))
		}
		answers(all, rand.New(rand.NewPCG(seed, 1)), 0, 300, 0.03, 50e-6, 0.1)
		for i := range 2 {
			if got := all.PerToken(i); math.Abs(got/50e-6-1) > 0.15 {
				t.Errorf("seed %d, endpoint %d: %v s a token, want 50e-6", seed, i, got)
			}
			if got := all.Overhead(i); math.Abs(got-0.03) > 0.03 {
				t.Errorf("seed %d, endpoint %d: overhead %v s, want 0.03", seed, i, got)
			}
		}
	}
}

func TestEqualsStayEqual(t *testing.T) {
	apart := 0
	for seed := range uint64(20) {
		all, random := newSpeeds(4), rand.New(rand.NewPCG(seed, 2))
		for range 200 {
			for i := range 4 {
				answers(all, random, i, 1, 0.02, 100e-6, 0.2)
			}
			all.Compare(0)
			for i := range 4 {
				if all.PerToken(i) != all.PerToken(0) {
					apart++
				}
			}
		}
	}
	if share := float64(apart) / (20 * 200 * 4); share > 0.03 {
		t.Errorf("equal endpoints are told apart %.1f %% of the time", 100*share)
	}
}

func TestSlowEndpointsAreFound(t *testing.T) {
	for seed := range uint64(20) {
		all, random := newSpeeds(4), rand.New(rand.NewPCG(seed, 3))
		for range 100 {
			for i := range 3 {
				answers(all, random, i, 1, 0.02, 100e-6, 0.2)
			}
			answers(all, random, 3, 1, 0.02, 300e-6, 0.2)
			all.Compare(0)
		}
		if slow, fast := all.PerToken(3), all.PerToken(0); slow < fast*1.4 {
			t.Errorf("seed %d: the endpoint of a third of the speed has %v s a token, the others %v", seed, slow, fast)
		}
	}
}

func TestLearnSurvivesNonsense(t *testing.T) {
	all := newSpeeds(1)
	for _, bad := range []float64{0, -1, math.NaN()} {
		all.learn(0, answered(bad, 1))
		all.learn(0, answered(1, bad))
	}
	if all.PerToken(0) != AssumedPerToken {
		t.Errorf("nonsense taught %v s a token", all.PerToken(0))
	}
	for range 100 {
		all.learn(0, answered(1000, 0.1)) // all alike: a line through the origin
	}
	all.learn(0, answered(1000, 1e6)) // one stall
	if got := all.PerToken(0); math.Abs(got-1e-4) > 0.1e-4 {
		t.Errorf("after a stall: %v s a token, want about 1e-4", got)
	}
}

// An endpoint that is ten times as slow is found after a dozen responses; one that is twice as slow takes more.
func TestFewTellWhatIsFarApart(t *testing.T) {
	found, early := 0, 0
	for seed := range uint64(20) {
		all, random := newSpeeds(3), rand.New(rand.NewPCG(seed, 4))
		for range 12 {
			answers(all, random, 0, 1, 0.02, 100e-6, 0.2)
			answers(all, random, 1, 1, 0.02, 200e-6, 0.2)
			answers(all, random, 2, 1, 0.02, 1000e-6, 0.2)
			all.Compare(0)
		}
		if all.PerToken(2) > 2*all.PerToken(0) {
			found++
		}
		all = newSpeeds(2)
		for range 12 {
			answers(all, random, 0, 1, 0.02, 100e-6, 0.2)
			answers(all, random, 1, 1, 0.02, 200e-6, 0.2)
			all.Compare(0)
		}
		if all.PerToken(0) != all.PerToken(1) {
			early++
		}
	}
	if found < 15 || early > 2 {
		t.Errorf("of 20 pools, in %d the slow endpoint is found, want at least 15; in %d one of half the speed is, want at most 2", found, early)
	}
}

// A token is dearer where more tokens are before it than those have that the line was fitted to, and none is cheaper.
func TestDeep(t *testing.T) {
	for _, c := range []struct{ cached, usual float64 }{{0, attention}, {10_000, attention}, {90_000, 90_500}} { // of the responses before
		var s Speeds
		s.Add()
		s.Set(0, true)
		for range 50 {
			s.First(0, Response{Computed: 1000, Cached: c.cached, Seconds: 1})
		}
		for _, of := range []struct{ computed, cached, depth float64 }{
			{1000, 0, 0}, {1000, 20_000, 0}, {50_000, 0, 0}, {400_000, 0, 200_000}, {1000, 400_000, 400_500},
		} {
			want := of.computed
			if of.depth > 0 {
				want *= (attention + of.depth) / (attention + c.usual)
			}
			if got := s.Deep(of.computed, of.cached); math.Abs(got-want) > 1e-9*want {
				t.Errorf("after responses behind %v tokens, %v behind %v count as %v, want %v", c.cached, of.computed, of.cached, got, want)
			}
		}
	}
}

// What waits longer for others' prompts than for its own teaches the pool, and says nothing of its endpoint.
func TestBehindOthersSaysNothing(t *testing.T) {
	var s Speeds
	for i := range 2 {
		s.Add()
		s.Set(i, true)
	}
	for n := range 60 {
		tokens := 1000 * float64(n%10+1)
		s.First(0, Response{Computed: tokens, Seconds: tokens * 1e-4})
		s.First(1, Response{Computed: tokens, Ahead: 2 * tokens, Seconds: 9 * tokens * 1e-4}) // three times as long as they should take
		s.Compare(int64(n+1) * 1e9)
	}
	if a, b := s.Times(0), s.Times(1); a != b {
		t.Errorf("the endpoints take %v and %v times as long as the mean", a, b)
	}
}

// Prompts of one length behind queues that hardly vary: how far the prompt at their heads is nobody knows, which is most of what varies, so
// that the line says little of a token. What they wait it says all the same, together with what stands in all of them.
func TestStanding(t *testing.T) {
	const tokens, perToken = 11000.0, 18e-6
	alone := 0.0
	for seed := range uint64(20) {
		all, random := newSpeeds(3), rand.New(rand.NewPCG(seed, 12))
		all.learn(0, answered(tokens, tokens*perToken)) // none was before it
		for k := range 90 {
			ahead := 4*tokens + tokens*random.Float64()
			all.learn(k%3, answered(ahead+tokens, (4.5*tokens+tokens)*perToken*(1+0.1*random.NormFloat64())))
		}
		if got := all.Standing() + 4*tokens*all.PerToken(0); got < 0.6 || got > 1 {
			t.Errorf("seed %d: %.2f s behind four prompts, want about .8 (%.2f in each)", seed, got, all.Standing())
		}
		alone += 4 * tokens * all.PerToken(0) / 20
	}
	if alone > 0.6 {
		t.Errorf("the lines alone say %.2f s in the mean: nothing stands in these", alone)
	}
}
