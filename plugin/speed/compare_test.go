package speed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// mixedPool is a pool of so many endpoints that has seen n answers of each; those from half on take times as long.
func mixedPool(seed uint64, size, n int, times float64) *Speeds {
	all, random := newSpeeds(size), rand.New(rand.NewPCG(seed, 5))
	for range n {
		for i := range size {
			by := 1.
			if i >= size/2 {
				by = times
			}
			answers(all, random, i, 1, 0.02*by, 100e-6*by, 0.2)
		}
		all.Compare(0)
	}
	return all
}

// Of two kinds of cards, half of each, none is far from the mean, and yet each has its own speed.
func TestTwoKindsOfCards(t *testing.T) {
	for seed := range uint64(20) {
		all := mixedPool(seed, 12, 40, 3.5)
		for i := range 12 {
			want := 1 / math.Sqrt(3.5)
			if i >= 6 {
				want = math.Sqrt(3.5)
			}
			if got := all.Times(i); math.Abs(got/want-1) > 0.3 {
				t.Errorf("seed %d, endpoint %d: %v × the mean time, want %v", seed, i, got, want)
			}
		}
	}
}

// What a response takes beside its prompt is 200 tokens' time at each of these cards. Where lines begin with what others, whom nobody knows,
// have queued there, the fastest responses bound it.
func TestOverheadTokens(t *testing.T) {
	pool := func(seed uint64, times float64) *Speeds {
		all, random := newSpeeds(4), rand.New(rand.NewPCG(seed, 7))
		for range 150 {
			for i := range 4 {
				by := 1 + float64(i%2)*(times-1)
				answers(all, random, i, 1, 0.02*by, 100e-6*by, 0.02)
			}
			all.Compare(0)
		}
		return all
	}
	for seed := range uint64(20) {
		all := pool(seed, 4)
		if got := all.OverheadTokens(); got < 120 || got > 280 {
			t.Errorf("seed %d: a response takes as long as %v tokens, want 200", seed, got)
		}
		all.curve[0], all.even.base = 1, 1
		if got := all.OverheadTokens(); got < 200 || got > 450 {
			t.Errorf("seed %d: what others have queued counts for %v tokens of every response", seed, got)
		}
		if got := pool(seed, 1).OverheadTokens(); got != 0 {
			t.Errorf("seed %d: %v tokens among equal cards", seed, got)
		}
	}
}

// One that takes 2.4 times as long as the other is nearer to their mean than chance and queues explain at a time, but stays there.
func TestTwoKindsOfCardsThatStay(t *testing.T) {
	for seed := range uint64(20) {
		all := mixedPool(seed, 4, longLasting+20, 2.4)
		if got := all.Times(3) / all.Times(0); math.Abs(got/2.4-1) > 0.25 {
			t.Errorf("seed %d: %v × as slow, want 2.4", seed, got)
		}
	}
}

// What is apart now and then does not stay.
func TestApartNowAndThen(t *testing.T) {
	all, random := newSpeeds(4), rand.New(rand.NewPCG(1, 9))
	for k := range 12 * longLasting {
		for i := range 4 {
			by := 1.
			if i == k/(longLasting/2)%4 {
				by = 1.9
			}
			answers(all, random, i, 3, 0.02*by, 100e-6*by, 0.2)
		}
		if all.Compare(0); all.mixed {
			t.Fatalf("after %d answers: an endpoint that was slow for a while counts as of different speed", k)
		}
	}
}

func TestOneKindOfCards(t *testing.T) {
	for seed := range uint64(40) {
		for _, size := range []int{2, 12} {
			if all := mixedPool(seed, size, 40, 1.2); all.mixed {
				t.Errorf("seed %d: %d endpoints that are a fifth apart count as of different speed", seed, size)
			}
		}
	}
}

// Equal cards are equal whatever prompts they get: a token behind 100,000 others takes six times as long as one behind none.
func TestOneKindOfCardsDeepPrompts(t *testing.T) {
	const pair = 50e-6 / 20000
	for seed := range uint64(20) {
		all, random := newSpeeds(8), rand.New(rand.NewPCG(seed, 6))
		for range 100 {
			for i := range 8 {
				tokens, depth := 100+random.ExpFloat64()*2000, random.ExpFloat64()*float64(i)*15000
				pairs := tokens * (depth + tokens/2)
				all.learn(i, sample{tokens: tokens, pairs: pairs, seconds: (0.02 + tokens*50e-6 + pairs*pair) * (1 + 0.2*random.NormFloat64())})
			}
			all.Compare(0)
			if all.mixed {
				t.Fatalf("seed %d: endpoints count as of different speed for their prompts' length", seed)
			}
		}
	}
}

// What waited for memory shows nothing of an endpoint's speed.
func TestCrowdedResponsesAreNotCompared(t *testing.T) {
	all, random := newSpeeds(2), rand.New(rand.NewPCG(1, 7))
	for k := range 200 {
		for i := range 2 {
			s := answered(100+random.ExpFloat64()*5000, 0)
			s.seconds, s.waited = 0.02+s.tokens*100e-6, i == 1 && k%2 == 0
			if s.waited {
				s.seconds *= 20
			}
			all.learn(i, s)
		}
		all.Compare(0)
	}
	if all.PerToken(0) != all.PerToken(1) {
		t.Errorf("the endpoint whose memory is full takes %v s a token, the other %v", all.PerToken(1), all.PerToken(0))
	}
}

// An endpoint that was replaced by a faster one counts as equal again.
func TestKindsOfCardsThatAreGone(t *testing.T) {
	all := mixedPool(1, 4, 40, 4)
	if !all.mixed {
		t.Fatal("fourfold times count as equal")
	}
	random := rand.New(rand.NewPCG(1, 6))
	for range 700 {
		for i := range 4 {
			answers(all, random, i, 1, 0.02, 100e-6, 0.2)
		}
		all.Compare(0)
	}
	if all.mixed || all.PerToken(0) != all.PerToken(3) {
		t.Errorf("equal times still count as different: %v and %v s a token", all.PerToken(0), all.PerToken(3))
	}
}

// Sums come from other gateways, too: numbers that no responses have are left out.
func TestSumsOfNonsense(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	for range 2000 {
		all := newSpeeds(3)
		for i := range 3 {
			var s Sums
			for k := range s {
				s[k] = math.Float64frombits(random.Uint64()&^(1<<63)) * float64(random.IntN(2))
				if !(s[k] <= math.MaxFloat32) {
					s[k] = math.MaxFloat32
				}
			}
			all.SetOthers(i, &s)
		}
		for range 3 {
			all.Compare(0)
			all.learned = true
		}
		for i := range 3 {
			if got := all.PerToken(i); !(got > 0 && got < 1e4) {
				t.Fatalf("%v s a token", got)
			}
		}
	}
}

// Of 15 cards of two kinds, most have shown too little: a fast one that few prompts came to is not taken for slow because the others of which little is
// known are.
func TestFewResponsesCountAsTheyWere(t *testing.T) {
	for seed := range uint64(20) {
		all, random := newSpeeds(15), rand.New(rand.NewPCG(seed, 11))
		give := func(from, to, n int, by float64) {
			for i := from; i < to; i++ {
				answers(all, random, i, n, 0.02*by, 100e-6*by, 0.2)
			}
		}
		give(0, 4, 40, 1)
		give(4, 6, 5, 1)
		give(6, 15, 5, 5)
		all.Compare(0)
		fast := all.Times(0)
		for i := 4; i < 6; i++ {
			if got := all.Times(i) / fast; got > 1.7 {
				t.Errorf("seed %d: with five responses, endpoint %d counts as %.1f times as slow, want 1", seed, i, got)
			}
		}
		for i := 6; i < 15; i++ {
			if got := all.Times(i) / fast; got < 1.6 {
				t.Errorf("seed %d: endpoint %d counts as %.1f times as slow, want about 5", seed, i, got)
			}
		}
	}
}
