package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
)

const tick = int64(1e9)

// pooled is a pool of n endpoints and no more.
func pooled(t *testing.T, n int) *Pool {
	t.Helper()
	list := strings.TrimSuffix(strings.Repeat(`"10.0.0.%d:80",`, n), ",")
	places := make([]any, n)
	for i := range places {
		places[i] = i + 1
	}
	cfg, err := config.Parse(fmt.Appendf(nil, `{"endpoints":[`+list+`]}`, places...))
	if err != nil {
		t.Fatal(err)
	}
	return &Pool{name: "orchard", cfg: &cfg, known: pool.New(&cfg, 1<<20)}
}

func (p *Pool) lines(now int64) (out []string) {
	p.TellOutages(now, func(line string) { out = append(out, line) })
	return out
}

// The log names the endpoint that goes down and why, and when it is up again how long it was.
func TestOutagesAreTold(t *testing.T) {
	p, now := pooled(t, 2), 100*tick
	if got := p.lines(now); got != nil {
		t.Errorf("all is well, and the log says %q", got)
	}
	p.known.SetState(1, true, false, now)
	if got := p.lines(now + tick/2); got != nil {
		t.Errorf("twice within a second: %q", got)
	}
	want := "endpoint 10.0.0.2:80 of the pool orchard is down (unhealthy): the proxy's health check or outlier detection says so"
	if got := p.lines(now + tick); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.lines(now + 2*tick); got != nil {
		t.Errorf("it is told again: %q", got)
	}
	p.known.SetState(1, false, false, now+30*tick)
	want = "endpoint 10.0.0.2:80 of the pool orchard is up again after 30 s"
	if got := p.lines(now + 30*tick); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// However often endpoints go down and come back, the log stays short, and says in the end what holds.
func TestOutagesDoNotFloodTheLog(t *testing.T) {
	p, now, lines, last := pooled(t, 50), 100*tick, 0, map[string]string{}
	for range 100 {
		for i := range p.known.Endpoints {
			p.known.SetState(i, !p.known.Health.Down(i), false, now)
		}
		got := p.lines(now)
		if lines += len(got); len(got) > mostTold {
			t.Fatalf("%d lines at a time", len(got))
		}
		for _, line := range got {
			last[strings.Fields(line)[1]] = line
		}
		now += tick
	}
	if lines > 100*mostTold || len(last) < 50 {
		t.Errorf("%d lines in 100 s, of %d endpoints, want all 50 in at most %d", lines, len(last), 100*mostTold)
	}
	for range 60 {
		for _, line := range p.lines(now) {
			last[strings.Fields(line)[1]] = line
		}
		now += tick
	}
	for i, e := range p.known.Endpoints {
		if down := strings.Contains(last[e.Address], " is down "); down != p.known.Health.Down(i) {
			t.Errorf("down is %v, and what was said last is %q", p.known.Health.Down(i), last[e.Address])
		}
	}
}

// An endpoint that has taken another's place is told of by its own address.
func TestOutageOfAnEndpointThatIsGone(t *testing.T) {
	p, now := pooled(t, 2), 100*tick
	p.known.SetState(1, true, false, now)
	p.lines(now)
	p.known.Endpoints[1].Address = "10.0.0.9:80"
	p.known.SetState(1, false, false, now+20*tick)
	if got := p.lines(now + 20*tick); got != nil {
		t.Errorf("got %q of an endpoint that was never down", got)
	}
}

// One that leaves while it is down, as each does whose server is stopped, is not up again.
func TestOutageOfAnEndpointThatLeaves(t *testing.T) {
	p, now := pooled(t, 2), 100*tick
	p.known.SetState(1, true, false, now)
	p.lines(now)
	e := p.known.Endpoints[1]
	p.known.Remove(1)
	if got := p.lines(now + 20*tick); got != nil {
		t.Errorf("got %q of an endpoint that has left", got)
	}
	p.known.Place(1, e, now+30*tick)
	if got := p.lines(now + 30*tick); got != nil {
		t.Errorf("got %q of one that has come back, and is well", got)
	}
	p.known.SetState(1, true, false, now+40*tick)
	if got := p.lines(now + 40*tick); len(got) != 1 || !strings.Contains(got[0], " is down ") {
		t.Errorf("got %q of one that is down once more", got)
	}
}
