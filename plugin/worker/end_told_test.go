package worker

import "testing"

// Others are told of ends where memory is half used, and for a minute more; of a beginning always.
func TestEndsAreToldWhereMemoryFills(t *testing.T) {
	for _, c := range []struct {
		used  float64
		after int64 // s since then
		told  uint64
	}{{0.3, 0, 1}, {0.6, 0, 2}, {0.6, 50, 2}, {0.6, 70, 1}} {
		w := patientWorker(t)
		p := w.pools[0]
		look := func(now int64, used float64) {
			fill(p, now, used, used, used)
			answer(t, w, "m", 0, now)
			bring(w, "m", 1, 1).tryAndLeave(now)
		}
		look(100*second, .1) // nothing is held any more after these
		look(110*second, .1)
		look(200*second, c.used)
		now := (200 + c.after) * second
		if c.after > 0 {
			look(now, .1)
		}
		before := p.board.Logged()
		answer(t, w, "m", 7, now)
		if told := p.board.Logged() - before; told != c.told {
			t.Errorf("memory was used to %v, %d s ago: %d entries of a request, want %d", c.used, c.after, told, c.told)
		}
	}
}
