package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
)

const milli = second / 1000

// onHosts is a pool of these addresses.
func onHosts(addresses ...string) *Pool {
	p := newPool(0)
	for i, a := range addresses {
		p.Place(i, config.Endpoint{Address: a, Weight: 1}, 0)
	}
	p.Tick(second)
	return p
}

// streamed is a response of 101 tokens at endpoint i, each of which takes so long, beginning at a time.
func streamed(p *Pool, i int, at, each int64) (until int64) {
	f := new(Flight)
	f.streams = true
	p.Begin(f, i, at)
	p.FirstToken(f, at+each)
	until = at + 101*each
	p.End(f, until, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 10, OutputTokens: 101})
	return until
}

// Endpoints of one IP address are a host's, ranks too; others are not, nor is an address that has very many.
func TestHosts(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.2:8001", "10.0.0.1:8002", "[::1]:8001", "[::1]:8002#0", "[::1]:8002#1", "10.0.0.12:8001")
	for i, want := range []int{2, 0, 2, 3, 3, 3, 0} {
		got := 0
		if h := p.hostOf(i); h != nil {
			got = len(h.members)
		}
		if got != want {
			t.Errorf("%s is one of %d, want %d", p.Endpoints[i].Address, got, want)
		}
	}
	p.Remove(2)
	if p.Tick(2 * second); p.hostOf(0) != nil {
		t.Error("an endpoint that is left alone at its address is still a host's")
	}
}

// Streams that take twice as long while the other endpoint is at work show that the two share a processor; what keeps an idle one at work
// costs then. Where they take as long, nothing costs.
func TestPaceTellsASharedProcessor(t *testing.T) {
	for _, c := range []struct {
		name   string
		slower int64
		want   float64
	}{{"one GPU", 2, 1}, {"a GPU each", 1, 0}} {
		p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
		at := 2 * second
		for range 20 {
			at = streamed(p, 0, at, 10*milli) + milli
			other := new(Flight)
			p.Begin(other, 1, at)
			at = streamed(p, 0, at, 10*milli*c.slower) + milli
			p.End(other, at, Outcome{Ending: health.Answered})
			p.Tick(at)
		}
		if got := p.Together(); got != c.want {
			t.Errorf("%s: %v work at once at full speed, want %v", c.name, got, c.want)
		}
		busy := new(Flight)
		busy.streams = true
		p.Begin(busy, 0, at)
		costs := p.Crowding(p.Look(at), 1./64)
		if c.want == 0 && costs != nil || c.want == 1 && (costs[0] != 0 || costs[1] <= 0) {
			t.Errorf("%s: costs %v beside a request at the first", c.name, costs)
		}
	}
}

// A stream that began before an endpoint joined says nothing.
func TestPaceOfAnotherHost(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
	f := new(Flight)
	f.streams = true
	p.Begin(f, 0, 2*second)
	p.FirstToken(f, 2*second+milli)
	p.Place(2, config.Endpoint{Address: "10.0.0.1:8003", Weight: 1}, 3*second)
	p.Tick(3 * second)
	before := p.hosts.together
	p.End(f, 4*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 10, OutputTokens: 101})
	if before.Pass(); p.hosts.together != before {
		t.Error("it was learned from")
	}
}
