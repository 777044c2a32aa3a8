package pool

import (
	"math"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/others"
)

// showPages gives the pool a page of each endpoint that tells so many requests running, and a tick.
func showPages(p *Pool, now int64, running ...float64) {
	for i, n := range running {
		p.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning, Running: n})
	}
	p.Tick(now)
}

// What others leave at an endpoint from page to page counts until the next page comes; what was gone by the next page each time
// counts for what an endpoint has on average.
func TestUncountedLasts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		page        func(i int) float64 // requests of others at endpoint i
		most, least float64             // Requests at an endpoint with 20 where the mean is 5
	}{
		"always at the same endpoint": {func(i int) float64 { return 20 * float64((4-i)/4) }, 20, 19},
		"elsewhere on each page":      {func(int) float64 { return float64(rng.IntN(4)/3) * 20 }, 8, 4},
	} {
		p := newPool(4)
		at := int64(0)
		for range 60 {
			at += second
			showPages(p, at, c.page(0), c.page(1), c.page(2), c.page(3))
		}
		at += second
		showPages(p, at, 20, 0, 0, 0)
		for now := at; now < at+2*second; now += second / 50 {
			got := p.Requests(0, now)
			if got < c.least || got > c.most {
				t.Fatalf("%s: %v requests after %v ns; want %v to %v", name, got, now-at, c.least, c.most)
			}
			if looked := p.Look(now)[0].Requests; looked != got {
				t.Fatalf("%s: %v requests after %v ns; a decision weighs %v", name, got, now-at, looked)
			}
		}
	}
}

// Gateways that start together see the same first pages. Where one shows few, none of them sends everything, for nobody knows yet
// whether that lasts.
func TestOneExcessIsChance(t *testing.T) {
	p := newPool(4)
	showPages(p, second, 30, 10, 10, 30)
	for i := range 4 {
		if got := p.Requests(i, second); got != 20 {
			t.Errorf("after one page of each: %v requests at endpoint %d, want the mean, 20", got, i)
		}
	}
	showPages(p, 2*second, 30, 10, 10, 30)
	if got := p.Requests(0, 2*second); got != 30 {
		t.Errorf("after a second page that shows the same: %v requests, want 30", got)
	}
}

// Where nobody else sends, own counts and pages agree, and nothing fades: a page tells what was counted.
func TestNothingUncounted(t *testing.T) {
	p := newPool(2)
	var flights []*Flight
	for s := range int64(30) {
		f := send(p, int(s)%2, textOf(1600), s*second)
		if flights = append(flights, f); len(flights) > 5 {
			p.End(flights[0], s*second, Outcome{})
			flights = flights[1:]
		}
		showPages(p, s*second, p.Counted(0), p.Counted(1))
		for _, now := range []int64{s * second, s*second + second/2} {
			if got, want := p.Requests(0, now), p.Counted(0); got != want {
				t.Fatalf("%v requests, %v counted", got, want)
			}
		}
	}
	for range 500 {
		p.unshared.Note(true)
	}
	if got, known := p.OthersShare(); got != 0 || !known || p.Company() != 0 {
		t.Errorf("%v of the requests are others' (known: %v), company %v", got, known, p.Company())
	}
}

// Pages that show others are taken for other gateways with the same conversations until prompts that are new here find nothing at
// their places on the ring. Pages that were read a moment before the own requests were counted show nobody.
func TestCompany(t *testing.T) {
	p := newPool(4)
	if got := p.Company(); got != 0 {
		t.Errorf("company %v before anything is known", got)
	}
	if p.unshared.Note(true); p.Company() != 1 {
		t.Errorf("company %v after a response has shown another gateway, without pages", p.Company())
	}
	p.unshared = others.Unshared{}
	for range 5 {
		send(p, 0, textOf(1600), 0)
	}
	for s := range int64(20) {
		off := float64(s%2)*4 - 2 // counted too late, and too early
		showPages(p, s*second, 5+off, 0, 0, 0)
	}
	if got := p.Company(); got != 0 {
		t.Errorf("company %v by pages that are off by a moment", got)
	}
	for s := range int64(20) {
		showPages(p, (20+s)*second, 8, 1, 2, 2)
	}
	if got := p.Company(); got != 1 {
		t.Errorf("company %v while others send, too", got)
	}
	for range 25 {
		p.unshared.NoteNew(1000, 0)
	}
	if got := p.Company(); got != 0 {
		t.Errorf("company %v though no prompt has found anything", got)
	}
	for range 10 {
		p.unshared.NoteNew(1000, 900)
	}
	if got := p.Company(); got != 1 {
		t.Errorf("company %v though prompts find what others sent", got)
	}
}

// A page that is read before a request is counted shows nobody where hardly any come, whatever responses seem to show.
func TestQuietGatewayIsAlone(t *testing.T) {
	p := newPool(2)
	for range 3 {
		send(p, 0, textOf(1600), 0)
	}
	showPages(p, second, 4, 0)
	for range 500 {
		p.unshared.Note(true)
	}
	if got := p.Company(); got != 0 {
		t.Errorf("company %v by one request on one page", got)
	}
	showPages(p, 2*second, 5, 1)
	if got := p.Company(); got != 1 {
		t.Errorf("company %v while others send, too", got)
	}
}

// Own requests whose answers are not streamed may wait: what others have waiting is only what a page shows beyond all own ones.
func TestOthersWaitBeyondOwn(t *testing.T) {
	p := newPool(2)
	for n := range 8 {
		send(p, n%2, textOf(4000), second)
	}
	for i, c := range []struct{ waiting, want float64 }{{4, 0}, {12, 8}} { // the first four may all be own
		at := int64(2+i) * second
		for end := range 2 {
			p.ApplyMetrics(end, at, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: 8, Waiting: c.waiting})
		}
		p.Tick(at)
		if got := p.OthersWaiting(); got != c.want {
			t.Errorf("with %v prompts waiting at each endpoint, four own: %v of others at an endpoint, want %v", c.waiting, got, c.want)
		}
	}
}

// Prompts that others have waiting are in the queue, as many tokens as own ones have. What the page shows of own prompts is not there
// twice.
func TestOthersQueue(t *testing.T) {
	p := newPool(2)
	for range 400 {
		p.End(send(p, 1, textOf(4000), 0), second, Outcome{})
		p.EmptyCache(1, 0)
	}
	own := send(p, 0, textOf(4000), second)
	page := func(at int64, running, waiting float64) {
		for i := range 2 {
			p.ApplyMetrics(i, at, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: running * float64(1-i), Waiting: waiting * float64(1-i)})
		}
		p.Tick(at)
	}
	page(2*second, 0, 1)
	alone := p.Queue(0, 2*second)
	page(3*second, 2, 4)
	page(4*second, 2, 4)
	with := p.Queue(0, 4*second)
	if tokens := own.Uncached(0); with < alone+2.5*tokens || with > alone+3.5*tokens || p.Queue(1, 4*second) != 0 {
		t.Errorf("%v tokens queued with three prompts of others of about %v, %v without; %v at the other endpoint", with, tokens, alone, p.Queue(1, 4*second))
	}
	if got := p.Look(4 * second)[0].Queue; got != with {
		t.Errorf("a decision weighs %v, not %v", got, with)
	}
}

// A tick that has brought nothing new leaves the summaries of all endpoints as they are: a decision among 1,024 made each of them anew.
func TestTicksBetweenPagesCostNothing(t *testing.T) {
	p := newPool(4)
	rng := rand.New(rand.NewPCG(1, 1))
	at := second
	anew := func() (n int) {
		for _, until := range p.summaries.until {
			if until == math.MinInt64 {
				n++
			}
		}
		return n
	}
	ticks := func(name string) {
		p.Tick(at)
		p.Look(at)
		for range 5 {
			at += second / 100
			if p.Tick(at); anew() > 0 {
				t.Errorf("%s: %d of 4 summaries are made anew after a tick", name, anew())
			}
			p.Look(at)
		}
	}
	ticks("no pages")
	send(p, 0, textOf(1600), at)
	ticks("after a request")
	for range 30 {
		at += second
		showPages(p, at, float64(rng.IntN(9)), float64(rng.IntN(9)), float64(rng.IntN(9)), float64(rng.IntN(9)))
	}
	if share, _ := p.OthersShare(); share == 0 {
		t.Fatal("no page shows others")
	}
	ticks("pages of others")
}
