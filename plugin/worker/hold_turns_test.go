package worker

import (
	"testing"

	"warmroute/plugin/pool"
)

// Where one endpoint alone has room, it is that of the smallest prompt, wherever it waits; but others do not wait for a turn that nobody
// takes.
func TestTurns(t *testing.T) {
	due := func(w *Worker, now int64) bool {
		w.Tick(now)
		_, ok := w.Due(now)
		return ok
	}
	const at = 11 * second
	for name, c := range map[string]struct {
		elsewhere pool.Hold
		used      []float64 // of the endpoints' memory
		at        []int64   // after which
		goes      []bool
	}{
		"a smaller one waits elsewhere":           {pool.Hold{Requests: 1, Least: 50}, []float64{1, .05, 1}, []int64{0, courtesy / 2, courtesy}, []bool{false, false, true}},
		"and there is room for both":              {pool.Hold{Requests: 1, Least: 50}, []float64{1, .05, .05}, []int64{0}, []bool{true}},
		"a larger one waits elsewhere":            {pool.Hold{Requests: 1, Least: 5000}, []float64{1, .05, 1}, []int64{0}, []bool{true}},
		"a smaller one of another model":          {pool.Hold{Group: 7, Requests: 1, Least: 50}, []float64{1, .05, 1}, []int64{0}, []bool{true}},
		"a smaller one, and there is no room yet": {pool.Hold{Requests: 1, Least: 50}, []float64{1, 1, 1}, []int64{0, courtesy}, []bool{false, false}},
	} {
		w := crowdedWorker(t, "")
		p := w.pools[0]
		if _, waits := tryHold(w, 1, 500, 10*second); !waits {
			t.Fatal("nothing waits")
		}
		p.known.SetGatewaysHolds([]pool.Hold{c.elsewhere})
		fill(p, at, c.used...)
		for i, after := range c.at {
			if got := due(w, at+after); got != c.goes[i] {
				t.Errorf("%s: after %d ms it goes: %v, want %v", name, after/1e6, got, c.goes[i])
			}
		}
	}
	w := crowdedWorker(t, "")
	p := w.pools[0]
	tryHold(w, 1, 500, 10*second)
	left := 100
	for now := at; now < at+3*second; now += courtesy / 2 { // one goes elsewhere, again and again
		fill(p, now, 1, .05, 1)
		p.known.SetGatewaysHolds([]pool.Hold{{Requests: left, Least: 50}})
		left--
		if got, want := due(w, now), now-at >= patience; got != want {
			t.Fatalf("after %d ms, while smaller ones go elsewhere, it goes: %v, want %v", (now-at)/1e6, got, want)
		} else if got {
			break
		}
	}
}

// What waits is told: how many, and how much the smallest needs, until it is gone.
func TestHoldsAreNoted(t *testing.T) {
	w := crowdedWorker(t, "")
	p := w.pools[0]
	tell := func() pool.Hold {
		if all := p.known.OwnHolds(); len(all) == 1 {
			return all[0]
		}
		return pool.Hold{}
	}
	first, _ := tryHold(w, 1, 500, 10*second)
	one := tell()
	other, _ := tryHold(w, 2, 100, 10*second)
	if two := tell(); one.Requests != 1 || two.Requests != 2 || two.Least >= one.Least || two.Least != other.needs {
		t.Errorf("one waits: %+v, two: %+v", one, two)
	}
	other.End(11e9, true)
	if got := tell(); got != one {
		t.Errorf("after the second has left: %+v, want %+v", got, one)
	}
	first.End(11e9, true)
	if got := tell(); got.Requests != 0 {
		t.Errorf("after all have left: %+v", got)
	}
}

// A new prompt leaves the last room to a smaller one that waits elsewhere.
func TestNewPromptYields(t *testing.T) {
	for _, c := range []struct {
		least float64
		used  []float64
		waits bool
	}{{50, []float64{1, .05, 1}, true}, {5000, []float64{1, .05, 1}, false}, {50, []float64{1, .05, .05}, false}} {
		w := crowdedWorker(t, "")
		w.pools[0].known.SetGatewaysHolds([]pool.Hold{{Requests: 1, Least: c.least}})
		fill(w.pools[0], 11*second, c.used...)
		if _, waits := tryHold(w, 1, 500, 11*second); waits != c.waits {
			t.Errorf("one that needs %v tokens waits elsewhere, memory used %v: a new prompt waits: %v, want %v", c.least, c.used, waits, c.waits)
		}
	}
}

// Who holds nothing itself lets new prompts wait where others hold some: they would go past those.
func TestOthersHold(t *testing.T) {
	for _, c := range []struct {
		elsewhere int
		used      float64
		waits     bool
	}{{0, .85, false}, {3, .85, false}, {3, .999, true}} {
		w := crowdedWorker(t, "")
		p := w.pools[0]
		fill(p, 11*second, .5, .5, .5)
		for now := 12 * second; now < 30*second; now += second { // it holds none any more
			fill(p, now, .5, .5, .5)
			w.Tick(now)
			bring(w, "m", int(now/second), 1).tryAndLeave(now)
		}
		if _, waits := tryHold(w, 7, 500, 30*second); waits {
			t.Fatal("it still holds prompts")
		}
		p.known.SetGatewaysHolds([]pool.Hold{{Requests: c.elsewhere, Least: 1000}})
		fill(p, 31*second, c.used, c.used, c.used)
		if _, waits := tryHold(w, 8, 500, 31*second); waits != c.waits {
			t.Errorf("%d wait elsewhere, memory is used to %v: it waits: %v, want %v", c.elsewhere, c.used, waits, c.waits)
		}
	}
}
