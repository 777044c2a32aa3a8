package pool

import (
	"math"
	"testing"
)

// A request that was suspended counts, whatever follows, as one that was not.
func TestSuspend(t *testing.T) {
	const now = 10 * second
	for _, stream := range []bool{true, false} {
		for name, follows := range map[string]func(p *Pool, f *Flight){
			"the rest":      func(p *Pool, f *Flight) { of := textOf(400_000); of.Stream = stream; p.Extend(f, of, now) },
			"a first token": func(p *Pool, f *Flight) { p.FirstToken(f, now) },
			"a retry":       func(p *Pool, f *Flight) { p.Served(f, []int{0, 1, 2}, 1, true, 0, now) },
			"its end":       func(p *Pool, f *Flight) { p.End(f, now, Outcome{Ending: Cancelled, Lost: true}) },
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
				queues := [2]float64{a.queued + a.unseen, b.queued + b.unseen}
				if !stream && name == "the rest" && i == 0 {
					queues[0] += computed(9*second, pools[0].PerToken(0)) // it was taken to be computed meanwhile
				}
				for what, of := range map[string][2]float64{
					"queue": queues, "waiting": {float64(a.waiting), float64(b.waiting)}, "work": works, "reads": {a.reads, b.reads},
					"memory": {a.memory.found + a.memory.held, b.memory.found + b.memory.held}, "in flight": {float64(a.own), float64(b.own)},
				} {
					if math.Abs(of[0]-of[1]) > 0.01*of[0]+1 {
						t.Errorf("stream %v, %s: %s at endpoint %d is %v, without %v", stream, name, what, i, of[1], of[0])
					}
				}
			}
			for k, p := range pools {
				p.End(flights[k], now, Outcome{Ending: Cancelled, Lost: true})
				for i := range 3 {
					if e := &p.ends[i]; e.own > 1 || e.waiting > 1 || e.memory.found+e.memory.held > 0 || e.reads > 1000 {
						t.Errorf("stream %v, %s: at the end endpoint %d has %+v, memory %+v", stream, name, i, e.pending, e.memory)
					}
				}
			}
		}
	}
}
