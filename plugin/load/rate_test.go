package load

import (
	"math"
	"math/rand/v2"
	"testing"
)

// answers teaches the table n answers of endpoint i with the given true line and a noise of that share.
func answers(table *Table, random *rand.Rand, i, n int, base, perToken, noise float64) {
	for range n {
		tokens := 100 + random.ExpFloat64()*5000
		table.Learn(i, tokens, (base+tokens*perToken)*(1+noise*random.NormFloat64()))
	}
}

func TestLearnsTheLine(t *testing.T) {
	for seed := range uint64(20) {
		table := NewTable(2)
		if table.PerToken(0) != AssumedPerToken || table.Overhead(0) != 0 {
			t.Fatalf("before anything is learned: %v, %v", table.PerToken(0), table.Overhead(0))
		}
		answers(table, rand.New(rand.NewPCG(seed, 1)), 0, 300, 0.03, 50e-6, 0.1)
		for i := range 2 {
			if got := table.PerToken(i); math.Abs(got/50e-6-1) > 0.15 {
				t.Errorf("seed %d, endpoint %d: %v s a token, want 50e-6", seed, i, got)
			}
			if got := table.Overhead(i); math.Abs(got-0.03) > 0.03 {
				t.Errorf("seed %d, endpoint %d: overhead %v s, want 0.03", seed, i, got)
			}
		}
	}
}

func TestEqualsStayEqual(t *testing.T) {
	apart := 0
	for seed := range uint64(20) {
		table, random := NewTable(4), rand.New(rand.NewPCG(seed, 2))
		for range 200 {
			for i := range 4 {
				answers(table, random, i, 1, 0.02, 100e-6, 0.2)
			}
			for i := range 4 {
				if table.PerToken(i) != table.PerToken(0) {
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
		table, random := NewTable(4), rand.New(rand.NewPCG(seed, 3))
		for range 100 {
			for i := range 3 {
				answers(table, random, i, 1, 0.02, 100e-6, 0.2)
			}
			answers(table, random, 3, 1, 0.02, 200e-6, 0.2)
		}
		if slow, fast := table.PerToken(3), table.PerToken(0); slow < fast*1.4 {
			t.Errorf("seed %d: the endpoint of half the speed has %v s a token, the others %v", seed, slow, fast)
		}
	}
}

func TestLearnSurvivesNonsense(t *testing.T) {
	table := NewTable(1)
	for _, bad := range []float64{0, -1, math.NaN()} {
		table.Learn(0, bad, 1)
		table.Learn(0, 1, bad)
		table.LearnStep(0, bad)
	}
	if table.PerToken(0) != AssumedPerToken || table.Step(0) != 0 {
		t.Errorf("nonsense taught %v s a token, %v s a step", table.PerToken(0), table.Step(0))
	}
	for range 100 {
		table.Learn(0, 1000, 0.1) // all alike: a line through the origin
	}
	table.Learn(0, 1000, 1e6) // one stall
	if got := table.PerToken(0); math.Abs(got-1e-4) > 0.1e-4 {
		t.Errorf("after a stall: %v s a token, want about 1e-4", got)
	}
}
