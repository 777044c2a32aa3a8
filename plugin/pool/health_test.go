package pool

import (
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
)

// fail ends n requests of endpoint 0 in that way, the last of them now and each half a second after the one before, while
// the others answer. It returns after how many it went down; 0: it did not.
func fail(p *Pool, now int64, n int, how health.Ending) int {
	for i := range n {
		at := now - int64(n-1-i)*second/2
		p.others(at)
		was := p.Health.Down(0)
		if end(p, begin(p, 0, at, 1, true), at, how); !was && p.Health.Down(0) {
			return i + 1
		}
	}
	return 0
}

// others lets all endpoints but the first give a sign of life.
func (p *Pool) others(now int64) {
	for i := 1; i < len(p.ends); i++ {
		p.Health.FirstToken(i, now)
	}
}

func end(p *Pool, f *Flight, now int64, how health.Ending) { p.End(f, now, Outcome{Ending: how}) }

func TestFailingEndpointsGoDown(t *testing.T) {
	for _, c := range []struct {
		how  health.Ending
		want int
	}{{health.Answered, 0}, {health.Cancelled, 0}, {health.Failed, 3}, {health.Broken, 3}, {health.Refused, 2}, {health.TimedOut, 0}} {
		p := newPool(2)
		fail(p, 0, 50, health.Answered)
		if got := fail(p, second, 50, c.how); got != c.want || p.Health.Down(0) != (c.want > 0) {
			t.Errorf("ending %d: down after %d, want %d", c.how, got, c.want)
		}
		if p.InFlight(0) != 0 {
			t.Errorf("ending %d: %d in flight", c.how, p.InFlight(0))
		}
	}
}

func TestRareFailuresAreNoReason(t *testing.T) {
	p := newPool(1)
	for i := range 1000 {
		how := health.Answered
		if i%10 == 0 {
			how = health.Failed
		}
		if fail(p, second, 1, how) > 0 {
			t.Fatalf("down at request %d of which a tenth fails", i)
		}
	}
	if f := p.Health.Failing(0, second); f > 0.35 {
		t.Errorf("failing %v", f)
	}
}

func TestProbesBackOffAndBringBack(t *testing.T) {
	p := newPool(2)
	fail(p, 0, 3, health.Failed)
	now := int64(0)
	for _, pause := range []int64{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := p.Probe(new(models.Servers), now+pause*second-1); got != -1 {
			t.Fatalf("a probe of %d before its %d s have passed", got, pause)
		}
		now += pause * second
		if got := p.Probe(new(models.Servers), now); got != 0 {
			t.Fatalf("no probe after %d s", pause)
		}
		probe := begin(p, 0, now, 1, true)
		if got := p.Probe(new(models.Servers), now+1); got != -1 {
			t.Fatal("a second probe while one is under way")
		}
		end(p, probe, now, health.Failed)
	}
	now += 60 * second
	begin(p, 1, now, 9000, true)
	end(p, begin(p, 0, now, 1, true), now, health.Answered)
	if p.Health.Down(0) || p.Health.Failing(0, now) != 0 || p.Probe(new(models.Servers), now+100*second) != -1 {
		t.Error("a good answer to a probe does not bring the endpoint back")
	}
	if _, tokens := p.OwnWork(0, now); tokens != 9000 {
		t.Errorf("back with %v tokens of work; want as much as the others, 9000", tokens)
	}
}

func TestOldAnswersDoNotBringBack(t *testing.T) {
	p := newPool(1)
	long := begin(p, 0, 0, 1, true)
	fail(p, 0, 2, health.Refused)
	if end(p, long, 0, health.Answered); !p.Health.Down(0) {
		t.Error("an answer begun before the failures brought the endpoint back")
	}
}

func TestDrainingIsNotProbed(t *testing.T) {
	p := newPool(1)
	fail(p, 0, 3, health.Failed)
	if p.SetState(0, false, true, 100*second); p.Probe(new(models.Servers), 100*second) != -1 || !p.Health.Draining(0) {
		t.Error("a draining endpoint is probed")
	}
}

func TestFailuresAreForgiven(t *testing.T) {
	p := newPool(1)
	fail(p, 0, 1, health.Failed)
	if soon, late := p.Health.Failing(0, 0), p.Health.Failing(0, 60*second); soon != 0.3 || late > 0.001 {
		t.Errorf("failing %v, a minute later %v; want 0.3 and about 0", soon, late)
	}
}

// A clock that was set back by an hour keeps nobody down for that hour, and makes no page of metrics new for it.
func TestClockSetBack(t *testing.T) {
	p, now := newPool(2), 7200*second
	fail(p, now, 3, health.Failed)
	p.ApplyMetrics(1, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: 90})
	now -= 3600 * second
	if got := p.Probe(new(models.Servers), now); got != 0 {
		t.Errorf("the endpoint that is down is not probed, but %d", got)
	}
	begin(p, 0, now, 1, true)
	if got := p.Probe(new(models.Servers), now); got != -1 {
		t.Error("two probes at a time")
	}
	if got := p.Requests(1, now); got != 0 {
		t.Errorf("%v requests, as a page from another time says; want our own 0", got)
	}
	p = newPool(2)
	if fail(p, 7200*second, 1, health.Failed); p.Health.Failing(0, now) != 0.3 {
		t.Errorf("failing %v, want 0.3", p.Health.Failing(0, now))
	}
	if got := p.Health.Failing(0, now+60*second); got > 0.001 {
		t.Errorf("failing %v a minute later, want about 0", got)
	}
}
