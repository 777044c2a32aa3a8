package worker

import (
	"strings"
	"testing"

	"warmroute/plugin/share/memstore"
)

func TestHold(t *testing.T) {
	w := crowdedWorker(t, "")
	due := func(now int64) uint32 {
		id, ok := w.Due(now)
		if !ok {
			return 0
		}
		return id
	}
	var waiting []*Exchange
	for i, words := range []int{900, 100, 500, 110} {
		x, waits := tryHold(w, uint32(i+1), words, 10*second+int64(i))
		if !waits {
			t.Fatalf("request %d does not wait", i+1)
		}
		waiting = append(waiting, x)
	}
	if n := w.pools[0].Waiting(); n != 4 || due(11*second) != 0 {
		t.Fatalf("%d wait, want 4, and none may go", n)
	}
	waiting[2].End(11*second, true) // its client leaves
	if waiting[2].Forget(); waiting[2].router != nil {
		t.Error("what has waited keeps the pool, by its router")
	}
	if id := due(20 * second); id != 1 {
		t.Errorf("at the limit request %d goes, want the first that came", id)
	}
	if ns, limit := waiting[0].Held(); ns != 10*second || !limit {
		t.Errorf("it was held %d ns, limit %v", ns, limit)
	}
	if code := waiting[0].Decide(true, 20*second); code != "" || !strings.Contains(string(waiting[0].Describe()), ";held_ms=10000") {
		t.Errorf("after it: %q, %s", code, waiting[0].Describe())
	}
	fill(w.pools[0], 12*second, .05, .05, .05)
	for _, want := range []uint32{2, 4, 0} { // of those that need about as much the first; 3 has left
		got := due(12 * second)
		if got != want {
			t.Fatalf("there is room: request %d goes, want %d", got, want)
		}
		if got > 0 {
			waiting[got-1].Decide(true, 12*second)
		}
	}
	if _, waits := tryHold(w, 9, 100, 13*second); waits {
		t.Error("there is room, and a request waits")
	}
}

// Few bodies are held so long: those above go as if none were held.
func TestHoldsAreBounded(t *testing.T) {
	for _, c := range []struct {
		more  string
		words int
		want  int
	}{
		{`,"max_inspecting":16`, 100, 4},
		{`,"max_held_bytes":1048576`, 10_000, 5}, // of 100 KB: half of 1 MB
	} {
		w := crowdedWorker(t, c.more)
		held := 0
		for i := range 12 {
			x, waits := tryHold(w, uint32(i+1), c.words, 10*second)
			if waits {
				held++
			} else {
				x.Decide(true, 10*second)
			}
		}
		if held != c.want {
			t.Errorf("%s: %d requests wait, want %d", c.more, held, c.want)
		}
	}
}

// Without a limit nothing waits.
func TestNoHold(t *testing.T) {
	w := crowdedWorker(t, "")
	w.pools[0].cfg.HoldLimit = 0
	if _, waits := tryHold(w, 1, 100, 10*second); waits {
		t.Error("a request waits")
	}
}

// If the clock is set back, all that wait go after the limit, and not one after the other.
func TestHoldsWhenTheClockIsSetBack(t *testing.T) {
	w := crowdedWorker(t, "")
	for i := range 4 {
		if _, waits := tryHold(w, uint32(i+1), 100, 10*second); !waits {
			t.Fatal("a request does not wait")
		}
	}
	w.Due(5 * second)
	n := 0
	for _, ok := w.Due(15 * second); ok; _, ok = w.Due(15 * second) {
		n++
	}
	if n != 4 {
		t.Errorf("%d go at the limit, want 4", n)
	}
}

// After one tick no more go than a worker decides in a millisecond or so, and the rest after the next.
func TestFewGoAfterOneTick(t *testing.T) {
	w := crowdedWorker(t, "")
	for i := range mostFreed + 3 {
		if _, waits := tryHold(w, uint32(i+1), 10, 10*second); !waits {
			t.Fatalf("request %d does not wait", i+1)
		}
	}
	for _, want := range []int{mostFreed, 3} {
		n := 0
		for _, ok := w.Due(20 * second); ok; _, ok = w.Due(20 * second) {
			n++
		}
		if n != want {
			t.Errorf("%d go after a tick, want %d", n, want)
		}
		w.Tick(20 * second)
	}
}

// Where the requests of one pool are too many for a tick, another pool's go at their limit all the same.
func TestPoolsThatHoldTakeTurns(t *testing.T) {
	w := workerOf(t, `{"seed":5,"scrape":{"path":""},"hold_limit":"10s","pools":[
		{"name":"busy","match":{"models":["a"]},"steer":{"cluster":"a"},"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]},{"name":"calm","match":{"models":["b"]},"steer":{"cluster":"b"},"endpoints":["10.0.1.1:80","10.0.1.2:80","10.0.1.3:80"]}]}`, memstore.New())
	talk(t, w, "a")
	talk(t, w, "b")
	for _, now := range []int64{4 * second, 10 * second} { // it lasts
		for _, p := range w.pools {
			fill(p, now, 1, 1, 1)
		}
		for _, model := range []string{"a", "b"} {
			answer(t, w, model, 0, now)
			bring(w, model, 99, 100).tryAndLeave(now)
		}
	}
	hold := func(model string, id uint32, now int64) {
		if !bring(w, model, 1000+int(id), 100).Hold(id, now) {
			t.Fatalf("request %d does not wait", id)
		}
	}
	for id := range uint32(2 * mostFreed) {
		hold("a", id+1, 10*second)
	}
	const calm = 3 * mostFreed
	hold("b", calm, 10*second)
	w.Tick(20 * second)
	for id, ok := w.Due(20 * second); ok; id, ok = w.Due(20 * second) {
		if id == calm {
			return
		}
	}
	t.Error("at the limit the request in the calm pool does not go")
}
