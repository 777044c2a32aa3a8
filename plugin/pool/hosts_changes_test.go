package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/queue"
	"warmroute/plugin/speed"
)

// sharing is what is learned of endpoints that take turns on one processor.
func sharing() (t speed.Together) {
	for k := range 80 {
		working := float64(1 + k%4)
		t.Add(working, 1, 0.01*working)
	}
	t.Fit()
	return t
}

// An endpoint that has joined since the last Tick does not look cheaper than the others: nothing costs until then.
func TestJoinedEndpointIsNoCheaper(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
	p.hosts.together = sharing()
	streamed(p, 0, second, milli)
	p.Begin(&Flight{streams: true}, 0, 2*second)
	if costs := p.Crowding(p.Look(2*second), 1./64); costs == nil || costs[1] <= 0 {
		t.Fatalf("costs %v beside a request at the first", costs)
	}
	p.Place(2, config.Endpoint{Address: "10.0.0.1:8003", Weight: 1}, 2*second)
	if costs := p.Crowding(p.Look(2*second), 1./64); costs != nil {
		t.Errorf("costs %v as an endpoint joins", costs)
	}
}

// Responses that are not streamed, or have no usage, do not leave endpoints at one address costly for ever.
func TestHostsWithoutStreamsThatTell(t *testing.T) {
	for name, streams := range map[string]bool{"not streamed": false, "no usage": true} {
		p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
		at := 2 * second
		for range 300 {
			f := new(Flight)
			f.streams = streams
			p.Begin(f, 0, at)
			p.FirstToken(f, at+milli)
			p.End(f, at+2*milli, Outcome{Ending: health.Answered})
			at += 3 * milli
		}
		if p.Tick(at); p.Together() != 0 {
			t.Errorf("%s: %v work at once, want 0", name, p.Together())
		}
	}
}

// A host of which no endpoint is at work costs nothing, before it is told whether they share a processor and after.
func TestIdleHostCostsNothing(t *testing.T) {
	for _, told := range []bool{false, true} {
		p := onHosts("10.0.0.1:8001", "10.0.0.1:8002", "10.0.0.2:8001", "10.0.0.2:8002")
		if told {
			p.hosts.together = sharing()
		}
		streamed(p, 0, second, milli) // for a mean time of a response
		p.Begin(&Flight{streams: true}, 0, 2*second)
		costs := p.Crowding(p.Look(2*second), 1./64)
		if costs[1] <= 0 || costs[2] != 0 || costs[3] != 0 {
			t.Errorf("told %v: costs %v beside a request at the first", told, costs)
		}
	}
}

// Requests that hang at an endpoint that is down do not keep it at work, and nobody makes them later.
func TestDownEndpointIsNotAtWork(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
	p.hosts.together = sharing()
	streamed(p, 1, second, milli)
	p.Begin(&Flight{streams: true}, 0, 2*second)
	if costs := p.Crowding(p.Look(2*second), 1./64); costs[1] <= 0 {
		t.Fatalf("costs %v beside a request that waits", costs)
	}
	p.SetState(0, true, false, 3*second)
	if costs := p.Crowding(p.Look(3*second), 1./64); costs[1] != 0 {
		t.Errorf("costs %v beside one at an endpoint that is down", costs)
	}
	if p.Tick(3 * second); p.hostOf(0).working != 0 {
		t.Errorf("%v are at work, want 0", p.hostOf(0).working)
	}
}

// A request that has moved to another host keeps none of the first at work.
func TestMovedFromAHost(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002", "10.0.0.2:8001", "10.0.0.2:8002")
	f := new(Flight)
	p.Begin(f, 0, 2*second)
	p.Moved(f, 2, 3*second)
	if p.hostOf(0).working != 0 || p.hostOf(2).working != 1 {
		t.Errorf("%v and %v are at work, want 0 and 1", p.hostOf(0).working, p.hostOf(2).working)
	}
}

// What others' requests keep at work counts from the next Tick on, though none of this worker's comes or goes.
func TestOthersAtWork(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
	p.SetWorkers(1, 3, 0, queue.Line{})
	if p.Tick(2 * second); p.hostOf(0).working != 1 {
		t.Errorf("%v are at work, want 1", p.hostOf(0).working)
	}
}

// A stream during which the clock was set back says nothing: more endpoints would have been at work than there are.
func TestPaceOfAClockSetBack(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
	f := &Flight{streams: true}
	p.Begin(f, 0, 2*second)
	p.FirstToken(f, 2*second+milli)
	p.Tick(12 * second)
	before := p.hosts.together
	p.End(f, 3*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 10, OutputTokens: 101})
	if before.Pass(); p.hosts.together != before {
		t.Error("it was learned from")
	}
}

// Until the next Tick an endpoint that has come to the place of another is none of that one's host.
func TestHostOfAnotherAddress(t *testing.T) {
	p := onHosts("10.0.0.1:8001", "10.0.0.1:8002")
	p.Place(1, config.Endpoint{Address: "10.0.0.9:8001", Weight: 1}, 2*second)
	if p.hostOf(1) != nil {
		t.Error("it is the other's")
	}
}
