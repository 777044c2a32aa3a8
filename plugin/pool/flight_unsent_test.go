package pool

import (
	"math"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/queue"
)

// A request that was suspended counts, whatever follows, as one that was not.
func TestSuspend(t *testing.T) {
	const now = 10 * second
	for _, stream := range []bool{true, false} {
		for name, follows := range map[string]func(p *Pool, f *Flight){
			"the rest":      func(p *Pool, f *Flight) { of := textOf(400_000); of.Stream = stream; p.Extend(f, of, now) },
			"a first token": func(p *Pool, f *Flight) { p.FirstToken(f, now) },
			"a retry":       func(p *Pool, f *Flight) { p.Served(f, []int{0, 1, 2}, 1, true, 0, now) },
			"its end":       func(p *Pool, f *Flight) { p.End(f, now, Outcome{Ending: health.Cancelled, Lost: true}) },
		} {
			var pools [2]*Pool
			var flights [2]*Flight
			for k := range pools {
				p := newPool(3)
				other := send(p, 0, textOf(4000), second)
				of := textOf(100_000)
				of.Truncated, of.Stream = true, stream
				f := new(Flight)
				p.Prepare(f, of, nil, 400_000)
				p.Match(f)
				p.Expect(f, 0)
				p.Begin(f, 0, second)
				if k == 1 {
					for range 2 {
						p.Suspend(f, 4*second)
					}
					if got := p.Queue(0, 4*second); got > other.uncached {
						t.Errorf("stream %v: %v tokens are queued while the rest does not come", stream, got)
					}
				}
				follows(p, f)
				pools[k], flights[k] = p, f
			}
			for i := range 2 {
				a, b := &pools[0].ends[i], &pools[1].ends[i]
				var works [2]float64
				for k, p := range pools {
					_, works[k] = p.OwnWork(i, now)
				}
				queues := [2]float64{a.queue.Left(0, 1), b.queue.Left(0, 1)} // as they were left
				if !stream && name == "the rest" && i == 0 {
					queues[0] += queue.Computed(9*second, pools[0].PerToken(0)) // it was taken to be computed meanwhile
				}
				for what, of := range map[string][2]float64{
					"queue": queues, "waiting": {float64(a.queue.Streams.Waiting), float64(b.queue.Streams.Waiting)}, "work": works, "reads": {a.reads, b.reads},
					"memory": {a.memory.found + a.memory.held, b.memory.found + b.memory.held}, "in flight": {float64(a.own), float64(b.own)},
				} {
					if math.Abs(of[0]-of[1]) > 0.01*of[0]+1 {
						t.Errorf("stream %v, %s: %s at endpoint %d is %v, without %v", stream, name, what, i, of[1], of[0])
					}
				}
			}
			for k, p := range pools {
				p.End(flights[k], now, Outcome{Ending: health.Cancelled, Lost: true})
				for i := range 3 {
					if e := &p.ends[i]; e.own > 1 || e.queue.Streams.Waiting > 1 || e.memory.found+e.memory.held > 0 || e.reads > 1000 {
						t.Errorf("stream %v, %s: at the end endpoint %d has %+v, memory %+v", stream, name, i, e.queue, e.memory)
					}
				}
			}
		}
	}
}

// Of a prompt whose beginning is cached, and whose memory no running request holds, the same memory counts as if it had not been suspended:
// its own beginning in the index is no other request's.
func TestSuspendedPromptsMemory(t *testing.T) {
	const begun, later = 100 * second, 104 * second
	var held [2]float64
	for k := range held {
		p := newPool(1)
		p.End(send(p, 0, textOf(40_000), second), 2*second, Outcome{Ending: health.Answered})
		of := textOf(100_000)
		of.Truncated = true
		f := send(p, 0, of, begun)
		if f.Matched == 0 {
			t.Fatal("nothing is cached: the test has lost its point")
		}
		if k == 1 {
			p.Suspend(f, later)
			if got := p.ends[0].memory.found; got != 0 {
				t.Errorf("%v tokens of memory count while the rest does not come", got)
			}
		}
		p.Resume(f, later)
		p.FirstToken(f, later)
		held[k] = p.ends[0].memory.held
	}
	if held[0] != held[1] {
		t.Errorf("it holds %v tokens of memory, and %v if it was not suspended", held[1], held[0])
	}
}

// A suspended request counts again once its body has ended, also where less of it turns out to be its prompt.
func TestSuspendedPromptIsShorter(t *testing.T) {
	for _, stream := range []bool{true, false} {
		p := newPool(1)
		of := textOf(100_000)
		of.Truncated, of.Stream = true, stream
		f := send(p, 0, of, second)
		p.Suspend(f, 4*second)
		whole := textOf(4000)
		whole.Stream = stream
		p.Extend(f, whole, 5*second)
		if got := p.Queue(0, 5*second); got < 1000 {
			t.Errorf("stream %v: %v tokens are queued once all has come", stream, got)
		}
	}
}

// What was suspended at an endpoint that has left meanwhile counts for nothing at the one that has its index since, whatever follows.
func TestSuspendedWhereTheEndpointLeft(t *testing.T) {
	for _, stream := range []bool{true, false} {
		for name, follows := range map[string]func(p *Pool, f *Flight){
			"nothing":       func(*Pool, *Flight) {},
			"the rest":      func(p *Pool, f *Flight) { of := textOf(100_000); of.Stream = stream; p.Extend(f, of, 6*second) },
			"a first token": func(p *Pool, f *Flight) { p.FirstToken(f, 6*second) },
			"a retry":       func(p *Pool, f *Flight) { p.Moved(f, 1, 6*second) },
			"its end":       func(p *Pool, f *Flight) { p.End(f, 6*second, Outcome{Ending: health.Cancelled, Lost: true}) },
		} {
			for _, early := range []bool{false, true} {
				p := newPool(2)
				of := textOf(100_000)
				of.Truncated, of.Stream = true, stream
				f := send(p, 0, of, second)
				if early {
					p.Suspend(f, 4*second)
				}
				p.Place(0, config.Endpoint{Address: "10.0.9.9:80", Weight: 1}, 5*second)
				other := send(p, 0, textOf(4000), 6*second)
				if !early {
					p.Suspend(f, 6*second)
				}
				follows(p, f)
				if e := &p.ends[0]; e.queue.Streams.Waiting != 1 || e.queue.Streams.Queued != other.uncached || e.queue.Wholes() || e.memory.found != other.memory {
					t.Errorf("stream %v, %s: the new endpoint has %+v, memory %+v; want one request of %v tokens", stream, name, e.queue, e.memory, other.uncached)
				}
			}
		}
	}
}

// Nor does a request that was sent in full end there what is under way.
func TestUnderwayWhereTheEndpointLeft(t *testing.T) {
	p := newPool(2)
	f := send(p, 0, textOf(100_000), second)
	p.Place(0, config.Endpoint{Address: "10.0.9.9:80", Weight: 1}, 5*second)
	other := send(p, 0, textOf(4000), 6*second)
	p.FirstToken(f, 7*second)
	if free := p.speeds.Watch(0, 0, 1, 0, 7*second); free || !other.watched || p.ends[0].queue.Streams.Waiting != 1 {
		t.Errorf("nothing is under way: %v, want what was sent at 6 s; %d wait, want 1", free, p.ends[0].queue.Streams.Waiting)
	}
}
