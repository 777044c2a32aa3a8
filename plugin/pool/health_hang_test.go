package pool

import (
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
)

// lives lets a pool of n endpoints serve for so many seconds; each gets a prompt of 1,000 tokens a second and answers the
// oldest when answers says so.
func lives(p *Pool, n, seconds int, answers func(endpoint, second int) bool) (mostDown int) {
	for s := 1; s <= seconds; s++ {
		now := int64(s) * second
		p.Tick(now)
		down := 0
		for i := range n {
			if p.Health.Down(i) {
				down++
				continue
			}
			if f := begin(p, i, now, 1000, true); answers(i, s) {
				p.FirstToken(f, now)
			}
		}
		mostDown = max(mostDown, down)
	}
	return mostDown
}

func TestWhatHangsIsFound(t *testing.T) {
	p := newPool(4)
	lives(p, 4, 300, func(i, _ int) bool { return i != 2 })
	for i := range 4 {
		if got, want := p.Health.Down(i), i == 2; got != want {
			t.Errorf("endpoint %d is down: %v, want %v", i, got, want)
		}
	}
	now := int64(400) * second
	if got := p.Probe(new(models.Servers), now); got != 2 {
		t.Fatalf("probe of %d, want 2", got)
	}
	if end(p, begin(p, 2, now, 1, true), now, health.Answered); p.Health.Down(2) {
		t.Error("an answered probe does not bring it back")
	}
}

// A fleet that is slow together is never reduced, however slow, and of one in which most hang a tenth is out at most.
func TestSlowIsNotDead(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, most int
		answers func(i, s int) bool
	}{
		{"all answer every ten minutes", 8, 0, func(_, s int) bool { return s%600 == 599 }},
		{"one answers every half minute", 8, 0, func(i, s int) bool { return i != 3 || s%30 == 0 }},
		{"nobody answers", 8, 0, func(int, int) bool { return false }},
		{"one alone hangs", 1, 0, func(int, int) bool { return false }},
		{"three of eight hang", 8, 1, func(i, _ int) bool { return i > 2 }},
		{"five of forty hang", 40, 4, func(i, _ int) bool { return i > 4 }},
	} {
		if got := lives(newPool(c.n), c.n, 3600, c.answers); got != c.most {
			t.Errorf("%s: %d out, want %d", c.name, got, c.most)
		}
	}
}

// What waits long at an endpoint may take long: ten times the work that is queued there.
func TestLongQueuesHaveTheirTime(t *testing.T) {
	p := newPool(3)
	begin(p, 0, second, 200_000, true) // 200 s, as it has not shown its speed
	begin(p, 0, second, 1, true)
	for s := int64(1); s <= 2002; s++ {
		p.FirstToken(begin(p, 1, s*second, 1, true), s*second)
		if p.Tick(s * second); p.Health.Down(0) != (s > 2001) {
			t.Fatalf("after %d s down: %v", s, p.Health.Down(0))
		}
	}
}

// An endpoint whose use of memory changes computes, however long it takes; and one that was taken to hang comes back with the
// first sign of life, for it was only slow.
func TestWhatComputesDoesNotHang(t *testing.T) {
	page := func(p *Pool, s int64, usage float64) {
		p.ApplyMetrics(0, s*second, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVUsage, Running: 1, Waiting: 1, KVUsage: usage})
	}
	hangs := func(usage func(s int64) float64) *Pool {
		p := newPool(3)
		for s := int64(1); s < 1000; s++ {
			if s < 5 {
				begin(p, 0, s*second, 1000, true)
			}
			p.FirstToken(begin(p, 1, s*second, 1, true), s*second)
			page(p, s, usage(s))
			p.Tick(s * second)
		}
		return p
	}
	if p := hangs(func(s int64) float64 { return float64(s) / 1000 }); p.Health.Down(0) {
		t.Error("it fills its memory, and is down")
	}
	p := hangs(func(int64) float64 { return 0.5 })
	if !p.Health.Down(0) {
		t.Fatal("nothing moves there, and it is not down")
	}
	if page(p, 1000, 0.6); p.Health.Down(0) {
		t.Error("it computes again, and is down")
	}
	p = newPool(3)
	late := begin(p, 0, second, 1000, true)
	lives(p, 3, 300, func(i, _ int) bool { return i != 0 })
	if !p.Health.Down(0) {
		t.Fatal("nothing comes from it, and it is not down")
	}
	if p.FirstToken(late, 301*second); p.Health.Down(0) {
		t.Error("a request of before is answered, and it is down")
	}
}

// A client that holds its upload back makes nothing hang: the replica has not seen the request.
func TestHeldUploads(t *testing.T) {
	for name, hold := range map[string]func(*Pool, int64){
		"one request": func(p *Pool, now int64) {
			if now == second {
				begin(p, 0, now, 1, true)
			}
		},
		"many, which its metrics do not show": func(p *Pool, now int64) {
			begin(p, 0, now, 1, true)
			p.ApplyMetrics(0, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting})
		},
		"many that are given up": func(p *Pool, now int64) {
			end(p, begin(p, 0, now, 1, true), now, health.Cancelled)
		},
	} {
		p := newPool(2)
		for s := int64(1); s <= 1000; s++ {
			hold(p, s*second)
			p.FirstToken(begin(p, 1, s*second, 1, true), s*second)
			p.Tick(s * second)
		}
		if p.Health.Down(0) {
			t.Errorf("%s: down", name)
		}
	}
}

// A request that was given up long ago says nothing of those that come now.
func TestOldSilenceIsForgotten(t *testing.T) {
	p := newPool(2)
	end(p, begin(p, 0, second, 1, true), 2*second, health.Cancelled)
	for s := int64(3); s < 200; s++ {
		p.FirstToken(begin(p, 1, s*second, 1, true), s*second)
	}
	begin(p, 0, 201*second, 1, true)
	begin(p, 0, 201*second, 1, true)
	if p.Tick(201*second + 1); p.Health.Down(0) {
		t.Error("an endpoint that was idle is down as soon as it is asked")
	}
}

// An endpoint that hangs is probed ever more rarely.
func TestHungProbesBackOff(t *testing.T) {
	p := newPool(2)
	lives(p, 2, 120, func(i, _ int) bool { return i == 1 })
	if !p.Health.Down(0) {
		t.Fatal("it is not down")
	}
	probes := 0
	for s := int64(121); s < 421; s++ {
		if p.Probe(new(models.Servers), s*second) == 0 {
			f := begin(p, 0, s*second, 1, true)
			if probes++; probes%2 == 0 {
				end(p, f, s*second, health.Cancelled)
			}
		}
	}
	if probes > 15 {
		t.Errorf("%d probes in 300 s", probes)
	}
}

// A response that is not streamed shows nothing until its end, however long it takes.
func TestLongAnswersDoNotHang(t *testing.T) {
	p := newPool(2)
	for range 3 {
		begin(p, 0, second, 100, false)
	}
	for s := int64(1); s < 600; s++ {
		p.FirstToken(begin(p, 1, s*second, 1, true), s*second)
		p.Tick(s * second)
	}
	if p.Health.Down(0) {
		t.Error("it is down")
	}
}

// Where the clock leaps, or the proxy stood still, what was under way has been silent for no longer than before.
func TestLeapIsNoSilence(t *testing.T) {
	for _, leapt := range []bool{false, true} {
		p := newPool(4)
		lives(p, 4, 100, func(int, int) bool { return true })
		now := int64(100) * second
		for i := range 4 {
			begin(p, i, now, 1000, true)
			f := begin(p, i, now, 1000, true)
			if now += 3600 * second; leapt {
				p.Health.Leapt(now)
			}
			if i != 2 {
				p.FirstToken(f, now)
			}
			now -= 3600 * second
		}
		now += 3600 * second
		p.Tick(now)
		if down := p.Health.Down(2); down == leapt {
			t.Errorf("leapt %v: the endpoint is down: %v", leapt, down)
		}
		lives(p, 4, 3900, func(i, s int) bool { return i != 2 || s < 3700 })
		if !p.Health.Down(2) {
			t.Errorf("leapt %v: an endpoint that hangs after it is in use", leapt)
		}
	}
}
