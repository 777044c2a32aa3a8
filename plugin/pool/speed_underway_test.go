package pool

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/speed"
)

// answered is a response to a prompt of which nothing was cached.
func answered(tokens, seconds float64) speed.Response {
	return speed.Response{Computed: tokens, Seconds: seconds}
}

// answers has endpoint i give n streamed answers with the given true line, and a noise of that share.
func answers(p *Pool, random *rand.Rand, i, n int, base, perToken, noise float64) {
	for range n {
		tokens := 100 + random.ExpFloat64()*5000
		p.speeds.First(i, answered(tokens, (base+tokens*perToken)*(1+noise*random.NormFloat64())))
	}
}

// unlike says whether endpoints count as of different speed.
func unlike(p *Pool) bool {
	for i := range p.ends {
		if p.speeds.Times(i) != 1 {
			return true
		}
	}
	return false
}

// slowFirst is a pool of two endpoints, of which the first has answered 30 prompts, at 100 µs a token.
func slowFirst() (*Pool, *rand.Rand) {
	p, random := newPool(2), rand.New(rand.NewPCG(1, 7))
	answers(p, random, 0, 30, 0.02, 100e-6, 0.2)
	p.Tick(100 * second)
	return p, random
}

// An endpoint that has answered nothing is slow once its first prompt takes far longer than elsewhere, for as long as it does.
func TestWhatIsUnderWayShowsASlowEndpoint(t *testing.T) {
	p, _ := slowFirst()
	slower := func(at int64) float64 {
		p.Tick(at)
		return p.Look(at)[1].Slower / p.Look(at)[0].Slower
	}
	f := begin(p, 1, 100*second, 20_000, true) // 2 s elsewhere
	for _, c := range []struct {
		after       int64
		least, most float64
	}{{1, 1, 1}, {3, 1, 1}, {40, 8, 30}, {80, 20, 60}} {
		if got := slower((100 + c.after) * second); got < c.least || got > c.most {
			t.Errorf("after %d s: %.1f × the other's time, want %v to %v", c.after, got, c.least, c.most)
		}
	}
	begin(p, 1, 185*second, 20_000, true)
	end(p, f, 190*second, health.Cancelled)
	if got := slower(191 * second); got != 1 {
		t.Errorf("after its client has left: %.1f × the other's time, want 1", got)
	}
}

// A pool that copies what another one has learned has its speeds: where its own requests are under way, none of them is.
func TestCopiedSpeedsStay(t *testing.T) {
	live, _ := slowFirst()
	begin(live, 1, 100*second, 20_000, true)
	copied := newPool(2)
	begin(copied, 0, 100*second, 20_000, true)
	begin(copied, 1, 100*second, 20_000, true)
	for at := 101 * second; at < 200*second; at += second {
		live.Tick(at)
		copied.CopyLearned(live, at)
		copied.Tick(at)
		for i := range copied.ends {
			if got, want := copied.Look(at)[i].Slower, live.Look(at)[i].Slower; got != want {
				t.Fatalf("at %d s endpoint %d takes %.1f × the usual time, want the other pool's %.1f", at/second, i, got, want)
			}
		}
	}
	live, _ = slowFirst()
	for at := 101 * second; at < 200*second; at += second {
		live.Tick(at)
		copied.CopyLearned(live, at)
		if copied.Tick(at); unlike(copied) {
			t.Fatalf("at %d s what is under way in the copy shows that an endpoint is slow", at/second)
		}
	}
}

// Where all are slow together, or what is under way waits for memory, nothing is shown.
func TestWhatIsUnderWayShowsNothing(t *testing.T) {
	p := newPool(2)
	begin(p, 0, 100*second, 20_000, true)
	begin(p, 1, 100*second, 20_000, true)
	if p.Tick(1000 * second); unlike(p) {
		t.Error("two that have not answered are of different speed")
	}
	p, _ = slowFirst()
	f := begin(p, 1, 100*second, 20_000, true)
	p.unwatch(f)
	f.crowded = true
	p.watch(f, 100*second)
	if p.Tick(1000 * second); unlike(p) {
		t.Error("one that waits for memory is slow")
	}
	p, _ = slowFirst()
	of := textOf(80_000)
	of.Media, of.Fetched = true, true
	send(p, 1, of, 100*second)
	if p.Tick(1000 * second); unlike(p) {
		t.Error("one that waits for an image is slow")
	}
	p, random := slowFirst()
	answers(p, random, 1, 12, 0.02, 100e-6, 0.2) // enough, so that it is a stall
	begin(p, 1, 100*second, 20_000, true)
	if p.Tick(1000 * second); unlike(p) {
		t.Error("one that has shown its speed is slow since its last prompt stalls")
	}
}

// One that hangs from its first prompt on is found, though what is under way there makes it look slow.
func TestWhatHangsFromTheFirstPromptOn(t *testing.T) {
	p, random := slowFirst()
	for s := int64(100); s < 400 && !p.Health.Down(1); s++ {
		begin(p, 1, s*second, 1000, true)
		p.FirstToken(begin(p, 0, s*second, 1000, true), s*second+second/10)
		answers(p, random, 0, 1, 0.02, 100e-6, 0.2)
		p.Tick(s*second + second/2)
	}
	if !p.Health.Down(1) {
		t.Error("it is not down after five minutes")
	}
}

// The rest of a body comes when its endpoint has left, and come back or made room for another: nothing is under way there because of it.
func TestWhatWasUnderWayBeforeAnEndpointJoined(t *testing.T) {
	for _, address := range []string{"10.0.0.1:80", "10.0.0.9:80"} {
		p, _ := slowFirst()
		var flights []*Flight
		for range 2 {
			part := textOf(60_000)
			part.Truncated = true
			flights = append(flights, send(p, 1, part, 100*second))
		}
		p.Remove(1)
		p.Place(1, config.Endpoint{Address: address, Weight: 1}, 100*second)
		for _, f := range flights {
			p.Extend(f, textOf(80_000), 101*second)
		}
		if since, work := p.Health.Silence(1); since != 0 {
			t.Errorf("%s owes %v tokens since it joined", address, work)
		}
		for _, f := range flights {
			end(p, f, 102*second, health.Cancelled)
		}
		for _, at := range []int64{102, 140, 600} {
			p.Tick(at * second)
			if got := p.Look(at * second)[1].Slower; got != 1 {
				t.Errorf("%s, which has had no request, takes %.1f × the usual time at %d s", address, got, at)
			}
		}
	}
}
