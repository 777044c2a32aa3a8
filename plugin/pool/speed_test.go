package pool

import (
	"math"
	"math/rand/v2"
	"testing"
)

// answers teaches the p n answers of endpoint i with the given true line and a noise of that share.
func answers(p *Pool, random *rand.Rand, i, n int, base, perToken, noise float64) {
	for range n {
		tokens := 100 + random.ExpFloat64()*5000
		p.learn(i, answered(tokens, (base+tokens*perToken)*(1+noise*random.NormFloat64())))
	}
}

// answered is a prompt of which nothing was cached.
func answered(tokens, seconds float64) sample {
	return sample{tokens: tokens, pairs: tokens * tokens / 2, seconds: seconds}
}

func TestLearnsTheLine(t *testing.T) {
	for seed := range uint64(20) {
		p := newPool(2)
		if p.PerToken(0) != AssumedPerToken || p.Overhead(0) != 0 {
			t.Fatalf("before anything is learned: %v, %v", p.PerToken(0), p.Overhead(0))
		}
		answers(p, rand.New(rand.NewPCG(seed, 1)), 0, 300, 0.03, 50e-6, 0.1)
		for i := range 2 {
			if got := p.PerToken(i); math.Abs(got/50e-6-1) > 0.15 {
				t.Errorf("seed %d, endpoint %d: %v s a token, want 50e-6", seed, i, got)
			}
			if got := p.Overhead(i); math.Abs(got-0.03) > 0.03 {
				t.Errorf("seed %d, endpoint %d: overhead %v s, want 0.03", seed, i, got)
			}
		}
	}
}

func TestEqualsStayEqual(t *testing.T) {
	apart := 0
	for seed := range uint64(20) {
		p, random := newPool(4), rand.New(rand.NewPCG(seed, 2))
		for range 200 {
			for i := range 4 {
				answers(p, random, i, 1, 0.02, 100e-6, 0.2)
			}
			p.compareSpeeds(0)
			for i := range 4 {
				if p.PerToken(i) != p.PerToken(0) {
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
		p, random := newPool(4), rand.New(rand.NewPCG(seed, 3))
		for range 100 {
			for i := range 3 {
				answers(p, random, i, 1, 0.02, 100e-6, 0.2)
			}
			answers(p, random, 3, 1, 0.02, 300e-6, 0.2)
			p.compareSpeeds(0)
		}
		if slow, fast := p.PerToken(3), p.PerToken(0); slow < fast*1.4 {
			t.Errorf("seed %d: the endpoint of a third of the speed has %v s a token, the others %v", seed, slow, fast)
		}
	}
}

func TestLearnSurvivesNonsense(t *testing.T) {
	p := newPool(1)
	for _, bad := range []float64{0, -1, math.NaN()} {
		p.learn(0, answered(bad, 1))
		p.learn(0, answered(1, bad))
	}
	if p.PerToken(0) != AssumedPerToken {
		t.Errorf("nonsense taught %v s a token", p.PerToken(0))
	}
	for range 100 {
		p.learn(0, answered(1000, 0.1)) // all alike: a line through the origin
	}
	p.learn(0, answered(1000, 1e6)) // one stall
	if got := p.PerToken(0); math.Abs(got-1e-4) > 0.1e-4 {
		t.Errorf("after a stall: %v s a token, want about 1e-4", got)
	}
}

// An endpoint that is ten times as slow is found after a dozen responses; one that is twice as slow takes more.
func TestFewTellWhatIsFarApart(t *testing.T) {
	found, early := 0, 0
	for seed := range uint64(20) {
		p, random := newPool(3), rand.New(rand.NewPCG(seed, 4))
		for range 12 {
			answers(p, random, 0, 1, 0.02, 100e-6, 0.2)
			answers(p, random, 1, 1, 0.02, 200e-6, 0.2)
			answers(p, random, 2, 1, 0.02, 1000e-6, 0.2)
			p.compareSpeeds(0)
		}
		if p.PerToken(2) > 2*p.PerToken(0) {
			found++
		}
		p = newPool(2)
		for range 12 {
			answers(p, random, 0, 1, 0.02, 100e-6, 0.2)
			answers(p, random, 1, 1, 0.02, 200e-6, 0.2)
			p.compareSpeeds(0)
		}
		if p.PerToken(0) != p.PerToken(1) {
			early++
		}
	}
	if found < 15 || early > 2 {
		t.Errorf("of 20 pools, in %d the slow endpoint is found, want at least 15; in %d one of half the speed is, want at most 2", found, early)
	}
}
