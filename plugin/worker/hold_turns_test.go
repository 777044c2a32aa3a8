package worker

import (
	"testing"

	"warmroute/plugin/queue"
)

// There is one order in which all that wait go, wherever they do; but others do not wait for a turn that nobody takes.
func TestTurns(t *testing.T) {
	due := func(w *Worker, now int64) bool {
		w.Tick(now)
		_, ok := w.Due(now)
		return ok
	}
	const at, tick, shaken = 11 * second, second / 5, int64(1e6) // by news
	small, large, early := queue.Turn{}, queue.Turn{Size: 255}, queue.Turn{Size: queue.SizeOf(0), Since: 1}
	one := func(first queue.Turn) queue.Hold { return queue.Hold{Requests: 1, First: first} }
	for name, c := range map[string]struct {
		elsewhere []queue.Hold
		used      []float64 // of the endpoints' memory
		after     int64     // ns, when it goes; −1: not within half a minute
	}{
		"a smaller one waits elsewhere":            {[]queue.Hold{one(small)}, []float64{1, .05, 1}, courtesy},
		"and there is room for both":               {[]queue.Hold{one(small)}, []float64{1, .05, .05}, 0},
		"two wait, and there is room for two":      {[]queue.Hold{one(small), one(early)}, []float64{1, .05, .05}, courtesy},
		"two wait at one place":                    {[]queue.Hold{{Requests: 2, First: small}}, []float64{1, .05, .05}, 0},
		"a larger one waits elsewhere":             {[]queue.Hold{one(large)}, []float64{1, .05, 1}, 0},
		"a smaller one of another model":           {[]queue.Hold{{Group: 7, Requests: 1, First: small}}, []float64{1, .05, 1}, 0},
		"a smaller one, and there is no room yet":  {[]queue.Hold{one(small)}, []float64{1, 1, 1}, -1},
		"nothing waits elsewhere, and there is no": {nil, []float64{1, 1, 1}, -1},
	} {
		w := patientWorker(t)
		p := w.pools[0]
		if _, waits := tryHold(w, 1, 500, 10*second); !waits {
			t.Fatal("nothing waits")
		}
		p.known.AtGateways.SetGateways(c.elsewhere)
		after := int64(-1)
		for now := int64(0); now < 30*second && after < 0; now += tick {
			fill(p, at+now, c.used...)
			if due(w, at+now) {
				after = now
			}
		}
		if after != c.after {
			t.Errorf("%s: it goes after %d ms, want %d", name, after/1e6, c.after/1e6)
		}
	}
	for name, c := range map[string]struct {
		goes bool                     // elsewhere one goes at each tick
		room func(tick int64) float64 // used of the one endpoint that has room now and then
		want int64                    // ns with room until it goes
	}{
		"elsewhere they go":               {true, func(int64) float64 { return .05 }, patience},
		"there is room now and then":      {false, func(tick int64) float64 { return []float64{.05, 1}[tick%2] }, courtesy},
		"likewise, and elsewhere they go": {true, func(tick int64) float64 { return []float64{.05, .05, 1}[tick%3] }, patience},
	} {
		w := patientWorker(t)
		p := w.pools[0]
		tryHold(w, 1, 500, 10*second)
		passed := int64(0)
		for i := int64(0); ; i++ {
			now := at + i*tick
			if c.room(i) < 1 && i > 0 {
				passed += tick
			}
			fill(p, now, 1, c.room(i), 1)
			elsewhere := one(small)
			if elsewhere.First.Since = i % 2 * shaken; c.goes {
				elsewhere.First.Since = now
			}
			p.known.AtGateways.SetGateways([]queue.Hold{elsewhere})
			if due(w, now) || i > 200 {
				if i > 200 {
					passed = -1
				}
				break
			}
		}
		if passed != c.want {
			t.Errorf("%s: it goes after %d ms with room, want %d", name, passed/1e6, c.want/1e6)
		}
	}
}

// Who has waited in vain for a turn elsewhere waits no more, until one goes there. What goes elsewhere behind it is no turn; nor is time
// in which nothing waits here.
func TestStalledTurns(t *testing.T) {
	w := patientWorker(t)
	p := w.pools[0]
	for id := range uint32(3) {
		tryHold(w, id+1, 500, 10*second)
	}
	turn, now, behind := queue.Turn{}, int64(11*second), 300
	goes := func(span int64) (after int64) {
		for after = 0; after <= span; after += second / 5 {
			fill(p, now+after, 1, .05, 1)
			behind--
			p.known.AtGateways.SetGateways([]queue.Hold{{Requests: 1, First: turn}, {Requests: behind, First: queue.Turn{Size: 255}}})
			w.Tick(now + after)
			if _, ok := w.Due(now + after); ok {
				break
			}
		}
		now += after + second/5
		return after
	}
	if after := goes(30 * second); after != courtesy {
		t.Errorf("the first goes after %d ms, want %d", after/1e6, int64(courtesy)/1e6)
	}
	if after := goes(30 * second); after != 0 {
		t.Errorf("the second goes after %d ms: still none has gone elsewhere", after/1e6)
	}
	turn.Since += second // one has gone
	if after := goes(30 * second); after != courtesy {
		t.Errorf("the third goes after %d ms, though one has gone elsewhere, and the next is first", after/1e6)
	}
	hold := func(ids ...uint32) {
		fill(p, now, 1, 1, 1)
		answer(t, w, "m", 0, now) // looks at them
		for _, id := range ids {
			if _, waits := tryHold(w, id, 500, now); !waits {
				t.Fatalf("request %d does not wait", id)
			}
		}
	}
	now += 8 * second
	hold(4)
	turn.Since += second
	if after := goes(30 * second); after != courtesy {
		t.Errorf("the fourth, which comes when nothing has waited for a while, goes after %d ms", after/1e6)
	}
	hold(5, 6)
	p.known.AtGateways.SetGateways(nil)
	fill(p, now, 1, .05, 1)
	w.Tick(now)
	if _, ok := w.Due(now); !ok {
		t.Error("nothing waits elsewhere, and the fifth does not go")
	}
	if after := goes(30 * second); after != courtesy {
		t.Errorf("the sixth, after one that went in its turn, goes after %d ms", after/1e6)
	}
}

// What waits is told: how many, and which is first, until it is gone.
func TestHoldsAreNoted(t *testing.T) {
	w := crowdedWorker(t, "")
	p := w.pools[0]
	tell := func() queue.Hold {
		if all := p.known.AtGateways.Own(); len(all) == 1 {
			return all[0]
		}
		return queue.Hold{}
	}
	first, _ := tryHold(w, 1, 500, 10*second)
	one := tell()
	other, _ := tryHold(w, 2, 100, 10*second)
	if two := tell(); one.Requests != 1 || two.Requests != 2 || two.First != other.turn() || !two.First.Before(one.First) {
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

// A new prompt leaves the last room to one that waits elsewhere and goes first.
func TestNewPromptYields(t *testing.T) {
	for _, c := range []struct {
		size  uint8
		used  []float64
		waits bool
	}{{0, []float64{1, .05, 1}, true}, {255, []float64{1, .05, 1}, false}, {0, []float64{1, .05, .05}, false}} {
		w := crowdedWorker(t, "")
		w.pools[0].known.AtGateways.SetGateways([]queue.Hold{{Requests: 1, First: queue.Turn{Size: c.size}}})
		fill(w.pools[0], 11*second, c.used...)
		if _, waits := tryHold(w, 1, 500, 11*second); waits != c.waits {
			t.Errorf("one of size %v waits elsewhere, memory used %v: a new prompt waits: %v, want %v", c.size, c.used, waits, c.waits)
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
		p.known.AtGateways.SetGateways([]queue.Hold{{Requests: c.elsewhere, First: queue.Turn{Size: 20}}})
		fill(p, 31*second, c.used, c.used, c.used)
		if _, waits := tryHold(w, 8, 500, 31*second); waits != c.waits {
			t.Errorf("%d wait elsewhere, memory is used to %v: it waits: %v, want %v", c.elsewhere, c.used, waits, c.waits)
		}
	}
}
