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
		now := int64(200 * second)
		fill(p, now, c.used, c.used, c.used)
		answer(t, w, "m", 0, now) // looks at the endpoints
		bring(w, "m", 1, 1).tryAndLeave(now)
		now += c.after * second
		fill(p, now, .1, .1, .1)
		answer(t, w, "m", 0, now)
		bring(w, "m", 1, 1).tryAndLeave(now)
		before := p.board.Logged()
		answer(t, w, "m", 7, now)
		if told := p.board.Logged() - before; told != c.told {
			t.Errorf("memory was used to %v, %d s ago: %d entries of a request, want %d", c.used, c.after, told, c.told)
		}
	}
}
