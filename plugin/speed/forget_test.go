package speed

import (
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

// silence is after how many seconds without a response of the last endpoint no worker takes it for slow any more; most: not within these.
func (p *pools) silence(most int) int {
	for n := range most {
		left := 0
		for _, w := range p.workers {
			if w.PerToken(2) > 2*w.PerToken(0) {
				left++
			}
		}
		if left == 0 {
			return n
		}
		p.second(0, 0)
	}
	return most
}

func TestSlownessIsForgotten(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		p := newPools(workers)
		for range 60 {
			p.second(1, 1e-3)
		}
		if !p.slow() {
			t.Fatalf("%d workers: an endpoint that is ten times as slow is not known", workers)
		}
		first := p.silence(300)
		if first < 55 || first > 70 {
			t.Errorf("%d workers: slow for a minute, forgotten after %d s, want about as long", workers, first)
		}
		for range 10 {
			p.second(2, 1e-3)
		}
		if !p.slow() {
			t.Errorf("%d workers: what is as slow as before is not known again", workers)
		}
		if again := p.silence(600); again < first+60 {
			t.Errorf("%d workers: forgotten after %d s, and again after %d, want as long as it is known to be slow", workers, first, again)
		}
		for range 20 {
			p.second(1, 1e-4)
		}
		if p.workers[0].PerToken(2) > 1.5*p.workers[0].PerToken(0) {
			t.Errorf("%d workers: what is fast now counts as slow", workers)
		}
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
