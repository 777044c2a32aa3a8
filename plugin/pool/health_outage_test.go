package pool

import (
	"testing"

	"warmroute/plugin/health"
)

// Why an endpoint is down, and since when.
func TestOutage(t *testing.T) {
	for _, c := range []struct {
		name string
		down func(p *Pool, now int64)
		want health.Outage
	}{
		{"answers", func(p *Pool, now int64) { fail(p, now, 9, health.Answered) }, health.NoOutage},
		{"refuses", func(p *Pool, now int64) { fail(p, now, 2, health.Refused) }, health.OutageRefused},
		{"fails", func(p *Pool, now int64) { fail(p, now, 3, health.Failed) }, health.OutageFailing},
		{"retried elsewhere", func(p *Pool, now int64) { fail(p, now, 3, health.Tried) }, health.OutageFailing},
		{"unhealthy", func(p *Pool, now int64) { p.SetState(0, true, false, now); p.SetState(0, true, false, now+second) }, health.OutageUnhealthy},
		{"has left", func(p *Pool, now int64) { fail(p, now, 2, health.Refused); p.Remove(0) }, health.NoOutage},
	} {
		p, now := newPool(2), 100*second
		c.down(p, now)
		why, since := p.Health.Outage(0)
		if why != c.want || why != health.NoOutage && since != now {
			t.Errorf("%s: got %v since %d s, want %v since %d", c.name, health.OutageNames[why], since/second, health.OutageNames[c.want], now/second)
		}
		if why, _ := p.Health.Outage(1); why != health.NoOutage {
			t.Errorf("%s: the other endpoint is down (%s)", c.name, health.OutageNames[why])
		}
	}
}

// Without requests nobody can know that an endpoint is still down, but what discovery says stays known.
func TestUntried(t *testing.T) {
	p, now := newPool(2), 100*second
	fail(p, now, 2, health.Refused)
	if p.Health.Untried(0, now+100*second) || !p.Health.Untried(0, now+130*second) {
		t.Error("two minutes after a probe is due, an endpoint without one is untried, and not before")
	}
	p.Begin(begin(p, 0, now+130*second, 1, true), 0, now+130*second)
	if p.Health.Untried(0, now+131*second) {
		t.Error("a request has just tried it")
	}
	p.SetState(0, true, false, now)
	if p.Health.Untried(0, now+1000*second) {
		t.Error("discovery says that it is out")
	}
}
