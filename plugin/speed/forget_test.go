package speed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pools are workers that tell each other every second what they have seen, of three endpoints, the last of which may be ten times as slow.
type pools struct {
	workers []*Speeds
	random  *rand.Rand
	now     int64
}

func newPools(workers int) *pools {
	p := &pools{random: rand.New(rand.NewPCG(1, 7)), now: 1e9}
	for range workers {
		p.workers = append(p.workers, newSpeeds(3))
	}
	return p
}

// second lets one pass, in which the last endpoint gives so many responses, each token of which takes so long. The others give two each.
func (p *pools) second(responses int, perToken float64) {
	p.now += 1e9
	for k, w := range p.workers {
		answers(w, p.random, 0, 2, 0.02, 100e-6, 0.2)
		answers(w, p.random, 1, 2, 0.02, 100e-6, 0.2)
		answers(w, p.random, 2, responses, 0.02, perToken, 0.2)
		for j, other := range p.workers {
			for i := -1; j != k && i < 3; i++ {
				sums := w.Own(i)
				other.SetOthers(i, &sums)
			}
		}
		w.Compare(p.now)
	}
}

// slow says whether the last endpoint counts as slow, for the first worker.
func (p *pools) slow() bool { return p.workers[0].PerToken(2) > 3*p.workers[0].PerToken(0) }

// times is how many times as long the last endpoint counts as taking as the first one, at the worker that has most of it in mind.
func (p *pools) times() (most float64) {
	for _, w := range p.workers {
		most = max(most, w.PerToken(2)/w.PerToken(0))
	}
	return most
}

// silence is after how many seconds without a response of the last endpoint it counts as less than so many times as slow as the first one;
// most: not within these.
func (p *pools) silence(times float64, most int) int {
	for n := range most {
		if p.times() < times {
			return n
		}
		p.second(0, 0)
	}
	return most
}

func TestSlownessFades(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		p := newPools(workers)
		for range 60 {
			p.second(1, 1e-3)
		}
		whole := p.times()
		if whole < 8 || whole > 12 {
			t.Fatalf("%d workers: an endpoint that is ten times as slow counts as %.1f times as slow", workers, whole)
		}
		if begins := p.silence(0.95*whole, 300); begins < 55 || begins > 70 {
			t.Errorf("%d workers: slow for a minute, fades after %d s, want about as long", workers, begins)
		}
		if root := 60 + p.silence(math.Sqrt(whole), 300); root < 110 || root > 140 {
			t.Errorf("%d workers: half of the logarithm is left after %d s, want two minutes", workers, root)
		}
		if p.silence(0, 600); p.times() < 0.9*math.Cbrt(whole) {
			t.Errorf("%d workers: fades to %.1f times, want no less than the third root", workers, p.times())
		}
		for p.now%60e9 != 0 {
			p.second(0, 0)
		}
		p.second(1, 1e-3)
		p.second(0, 0)
		if got := p.times(); got < 0.8*whole {
			t.Errorf("%d workers: after one more response that is as slow it counts as %.1f times as slow, want %.1f", workers, got, whole)
		}
		if again := p.silence(0.8*whole, 900); again < 600 {
			t.Errorf("%d workers: fades again after %d s, want as long as it is known to be slow", workers, again)
		}
		p.silence(math.Sqrt(whole), 900)
		for range 12 {
			p.second(1, 1e-4)
		}
		if got := p.times(); got > 1.5 {
			t.Errorf("%d workers: what is fast now counts as %.1f times as slow", workers, got)
		}
	}
}

// One response that is not late, of an endpoint that counts as slow and is asked, is not enough.
func TestSlownessOutlastsOneFastResponse(t *testing.T) {
	p := newPools(1)
	for range 60 {
		p.second(1, 1e-3)
	}
	whole := p.times()
	for range 130 {
		p.second(0, 0)
	}
	p.second(1, 1e-4)
	p.second(1, 1e-3)
	p.second(0, 0)
	if got := p.times(); got < 0.7*whole {
		t.Errorf("after one fast response and a slow one it counts as %.1f times as slow, want %.1f", got, whole)
	}
}

func TestSlownessThatIsSeenIsKept(t *testing.T) {
	p := newPools(2)
	for n := range 600 {
		p.second(min(n%20, 1)^1, 1e-3) // one response in twenty seconds
		if n > 200 && !p.slow() {
			t.Fatalf("after %d s an endpoint that shows every twenty seconds that it is slow counts as fast", n)
		}
	}
}

func TestAnotherServerIsNoSlower(t *testing.T) {
	p := newPools(1)
	for range 30 {
		p.second(1, 1e-3)
	}
	p.workers[0].Forget(2)
	p.second(0, 0)
	if p.slow() {
		t.Error("an endpoint whose server is another one counts as slow by what the last one showed")
	}
}

// What a slow endpoint's whole answers teach of steps is what they would at one of mean speed, also while its slowness fades.
func TestWholeAnswersWhileSlownessFades(t *testing.T) {
	s, random, now := newSpeeds(3), rand.New(rand.NewPCG(1, 13)), int64(1e9)
	second := func(slow int) {
		now += 1e9
		for i, n := range []int{2, 2, slow} {
			for range n {
				tokens, steps := 100+random.ExpFloat64()*5000, 10+math.Floor(random.ExpFloat64()*100)
				took := (tokens*100e-6 + steps*0.02) * (1 + 0.1*random.NormFloat64())
				if i == 2 {
					took *= 10
				}
				s.Whole(i, Response{Computed: tokens, Output: steps - 1, Seconds: took})
			}
		}
		s.Compare(now)
	}
	for range 100 {
		second(1)
	}
	if got := s.Times(2) / s.Times(0); got < 7 {
		t.Fatalf("an endpoint that is ten times as slow counts as %.1f times as slow", got)
	}
	for range 300 {
		second(0)
	}
	if got := s.Times(2) / s.Times(0); got > 4 {
		t.Fatalf("after five minutes of silence it counts as %.1f times as slow", got)
	}
	before := s.wholes.expected(1000, 100)
	second(20)
	if got := s.wholes.expected(1000, 100) / before; got > 1.25 {
		t.Errorf("twenty of its answers make those of an endpoint of mean speed %.2f times as long", got)
	}
}
