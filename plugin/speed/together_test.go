package speed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// paced adds n responses of endpoints of which at work at once at full speed, while 1 to most of them are at work; each further request at
// an endpoint takes 3 % longer, and more of them are there the more are at work.
func paced(t *Together, random *rand.Rand, n, most int, at float64) {
	for range n {
		working := 1 + random.IntN(most)
		beside := float64(working) * random.Float64() * 3
		slower := max(float64(working)/at, 1) * (1 + 0.03*beside)
		t.Add(float64(working), beside, 0.01*slower*math.Exp(0.15*random.NormFloat64()))
	}
	t.Fit()
}

// It is learned from some tens of responses how many work at once, also where more requests at an endpoint come with more of them.
func TestTogether(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		for _, at := range []float64{1, 2, 3, math.Inf(1)} {
			var learned Together
			if learned.Together() != 1 {
				t.Fatal("before anything is told they are not taken to share a processor")
			}
			paced(&learned, random, 80, 6, at)
			want := at
			if math.IsInf(at, 1) {
				want = 0
			}
			if got := learned.Together(); math.Abs(got-want) > 0.5 {
				t.Errorf("seed %d: %v work at once, want %v", seed, got, want)
			}
		}
	}
}

// Where as many are at work all the time nothing tells, and after a while they are taken not to slow each other.
func TestTogetherIsNotToldByOneLevel(t *testing.T) {
	var learned Together
	random := rand.New(rand.NewPCG(3, 1))
	for range assumed {
		learned.Add(4, 1, 0.04*math.Exp(0.1*random.NormFloat64()))
	}
	if learned.Fit(); learned.Together() != 1 {
		t.Errorf("after %d responses: %v, want 1", assumed, learned.Together())
	}
	learned.Add(4, 1, 0.04)
	if learned.Fit(); learned.Together() != 0 {
		t.Errorf("after %d responses: %v, want 0", assumed+1, learned.Together())
	}
	paced(&learned, random, 60, 4, 1)
	if learned.Together() == 0 {
		t.Error("what is told later is not learned")
	}
}

// One more at work slows the others once more are than work at once.
func TestSlows(t *testing.T) {
	two := Together{at: 2, told: true}
	for others, want := range []float64{0, 0, 0.5, 1. / 3} {
		if got := two.Slows(float64(others)); math.Abs(got-want) > 1e-9 {
			t.Errorf("beside %d: %v, want %v", others, got, want)
		}
	}
	none := Together{told: true}
	if none.Slows(7) != 0 {
		t.Error("endpoints with a processor each are slower")
	}
}

// A client that reads its responses slowly while many endpoints are at work does not make them look as if they shared a processor.
func TestSlowReadersDoNotTell(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 2))
		for _, slower := range []float64{1.5, 3, 10} {
			var learned Together
			for range 400 {
				working := 1 + random.IntN(6)
				seconds := 0.01 * math.Exp(0.15*random.NormFloat64())
				if working >= 4 && random.IntN(10) == 0 {
					seconds *= slower
				}
				learned.Add(float64(working), 1, seconds)
				learned.Fit()
			}
			if learned.Together() != 0 {
				t.Errorf("seed %d: responses that are read %v times as slowly: %v work at once", seed, slower, learned.Together())
			}
		}
	}
}

// Where no response says anything, they are taken not to slow each other after as many as where all say the same.
func TestTogetherIsNotAssumedForEver(t *testing.T) {
	var learned Together
	for range assumed + 1 {
		if learned.Fit(); learned.Together() != 1 {
			t.Fatal("they are not taken to share a processor")
		}
		learned.Pass()
	}
	if learned.Fit(); learned.Together() != 0 {
		t.Errorf("%v work at once, want 0", learned.Together())
	}
}

// Where there are always as many requests at an endpoint, but for last bits, what one more costs is not learned from those bits.
func TestTogetherByLastBits(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		var learned Together
		for range 80 {
			working := 1 + random.IntN(4)
			beside := 3 + float64(random.IntN(3)-1)*0x1p-51
			learned.Add(float64(working), beside, 0.01*float64(working)*math.Exp(0.15*random.NormFloat64()))
		}
		if learned.Fit(); !learned.Told() || learned.Together() != 1 {
			t.Errorf("seed %d: %v work at once, told %v, want 1", seed, learned.Together(), learned.Told())
		}
	}
}

// One response that took a thousand times as long, the first while so many were at work, is not what they all take.
func TestTogetherByOneResponse(t *testing.T) {
	var learned Together
	for k := range 12 {
		learned.Add(float64(1+k%3), 1, 0.01)
	}
	learned.Add(4, 1, 10)
	for k := range 40 {
		learned.Fit()
		if learned.Told() && learned.Together() != 0 {
			t.Fatalf("%v work at once, want 0", learned.Together())
		}
		learned.Add(float64(1+k%4), 1, 0.01)
	}
}
