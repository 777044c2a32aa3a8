package pool

import (
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/prefix"
)

// of is a request to endpoint i whose prompt begins in the n-th way.
func (p *Pool) of(i, n int, now int64) *Flight {
	f := begin(p, i, now, 1, true)
	f.Chain = prefix.Chain{Hash: []uint64{uint64(n) + 1}, End: []uint32{4}}
	f.Total = 1
	return f
}

// Whoever can make an endpoint fail does not put it down alone: not with one prompt, nor with one address, nor where it goes
// on answering others, nor where all endpoints fail alike.
func TestOneClientPutsNothingDown(t *testing.T) {
	for name, c := range map[string]struct {
		n, every int // failures, milliseconds apart
		head     func(n int) int
		client   func(n int) uint64
		answers  int  // after so many failures the endpoint answers another
		alone    bool // no other endpoint gives a sign of life
		down     bool
	}{
		"one prompt":                       {7, 100, func(int) int { return 1 }, func(n int) uint64 { return 0 }, 0, false, false},
		"one address":                      {7, 100, func(n int) int { return n }, func(int) uint64 { return 9 }, 0, false, false},
		"many of each, and others succeed": {100, 100, func(n int) int { return n }, func(n int) uint64 { return uint64(n) + 1 }, 5, false, false},
		"many at once":                     {100, 1, func(n int) int { return n }, func(n int) uint64 { return uint64(n) + 1 }, 0, false, false},
		"all endpoints fail":               {100, 100, func(n int) int { return n }, func(n int) uint64 { return uint64(n) + 1 }, 0, true, false},
		"many of each":                     {12, 100, func(n int) int { return n }, func(n int) uint64 { return uint64(n) + 1 }, 0, false, true},
		"one address, for long":            {60, 100, func(n int) int { return n }, func(int) uint64 { return 9 }, 0, false, true},
	} {
		p, now := newPool(3), 10*second
		for n := range c.n {
			now += int64(c.every) * 1e6
			if !c.alone {
				p.others(now)
			}
			p.End(p.of(0, c.head(n), now), now, Outcome{Ending: health.Failed, Client: c.client(n)})
			if c.answers > 0 && n%c.answers == 0 {
				end(p, p.of(0, 1000+n, now), now, health.Answered)
			}
		}
		if p.Health.Down(0) != c.down {
			t.Errorf("%s: down %v, want %v", name, p.Health.Down(0), c.down)
		}
	}
}

// Nor does one client by requests that its endpoint fails and the next one answers: short prompts, which have no block, count as its own.
func TestOneClientsRetriesPutNothingDown(t *testing.T) {
	for client, want := range map[uint64]bool{9: false, 0: true} { // 0: nothing is known of who sent them
		p, now := newPool(3), 10*second
		for range 7 { // one more would do, of whomever
			now += second / 5
			p.others(now)
			f := begin(p, 0, now, 1, true)
			p.Served(f, []int{0, 1, 2}, 1, true, client, now)
			end(p, f, now, health.Answered)
		}
		if p.Health.Down(0) != want {
			t.Errorf("requests of client %d: down %v, want %v", client, p.Health.Down(0), want)
		}
	}
}

// At most half of the pool is out because of failures whose cause is not known.
func TestNotAllFail(t *testing.T) {
	p, now := newPool(6), 10*second
	for n := range 200 {
		now += second / 10
		p.Health.FirstToken(5, now)
		for i := range 5 {
			if !p.Health.Down(i) {
				p.End(p.of(i, n*10+i, now), now, Outcome{Ending: health.Failed, Client: uint64(n + 1)})
			}
		}
	}
	down := 0
	for i := range 6 {
		if p.Health.Down(i) {
			down++
		}
	}
	if down != 3 {
		t.Errorf("%d of 6 are down, want 3", down)
	}
}

// A request whose client holds back a part of it is no silence of the endpoint.
func TestStalledUploadsAreNoSilence(t *testing.T) {
	p := newPool(3)
	for s := 1; s <= 300; s++ {
		now := int64(s) * second
		p.Tick(now)
		f := begin(p, 1, now, 1000, true)
		p.FirstToken(f, now)
		if s%10 == 0 {
			for _, i := range []int{0, 2} {
				of := textOf(100_000)
				of.Truncated = true
				send(p, i, of, now)
			}
		}
	}
	if p.Health.Down(0) || p.Health.Down(2) {
		t.Error("idle endpoints are out because clients stall")
	}
}
