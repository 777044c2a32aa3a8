package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// crowdedWorker is a worker whose endpoints' memory is short, and whose conversations come back.
func crowdedWorker(t *testing.T, more string) (w *Worker, fill func(used float64, now int64)) {
	t.Helper()
	w = workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"seed":5,"scrape":{"path":""},"hold_limit":"10s"`+more+`}`, memstore.New())
	fill = func(used float64, now int64) {
		for i := range 3 {
			w.pools[0].known.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, KVTokens: 100_000, KVUsage: used})
		}
	}
	for i := range 40 {
		text := strings.Repeat(fmt.Sprintf("Turn %d of a talk. ", i/2), 100)
		x := ask(t, w, text, second)
		x.Headers(Server{Address: x.Address()}, 200, "application/json", second)
		x.Chunk(second)
		x.Complete()
		x.End(3*second, false)
	}
	w.pools[0].known.NoteLost(0, second)
	w.pools[0].known.NoteLost(10, 3*second)
	for _, now := range []int64{4 * second, 10 * second} { // it lasts
		fill(1, now)
		ask(t, w, "Hello.", now).End(now, false)
		x, _ := w.tryHold(t, 99, 1, now)
		x.End(now, true)
	}
	return w, fill
}

// tryHold brings a request with that prompt as far as Hold, and says whether it waits.
func (w *Worker) tryHold(t *testing.T, id uint32, words int, now int64) (x *Exchange, waits bool) {
	t.Helper()
	x = new(Exchange)
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
	x.Write(fmt.Appendf(nil, `{"model":"m","prompt":%q}`, fmt.Sprint(id, strings.Repeat(" and so on", words))))
	return x, x.Hold(id, now)
}

func TestHold(t *testing.T) {
	w, fill := crowdedWorker(t, "")
	due := func(now int64) uint32 {
		id, ok := w.Due(now)
		if !ok {
			return 0
		}
		return id
	}
	var waiting []*Exchange
	for i, words := range []int{900, 100, 500, 110} {
		x, waits := w.tryHold(t, uint32(i+1), words, 10*second+int64(i))
		if !waits {
			t.Fatalf("request %d does not wait", i+1)
		}
		waiting = append(waiting, x)
	}
	if n := w.pools[0].Waiting(); n != 4 || due(11*second) != 0 {
		t.Fatalf("%d wait, want 4, and none may go", n)
	}
	waiting[2].End(11*second, true) // its client leaves
	if id := due(20 * second); id != 1 {
		t.Errorf("at the limit request %d goes, want the first that came", id)
	}
	if ns, limit := waiting[0].Held(); ns != 10*second || !limit {
		t.Errorf("it was held %d ns, limit %v", ns, limit)
	}
	if code := waiting[0].Decide(true, 20*second); code != "" || !strings.Contains(string(waiting[0].Describe()), ";held_ms=10000") {
		t.Errorf("after it: %q, %s", code, waiting[0].Describe())
	}
	fill(0.05, 12*second)
	for _, want := range []uint32{4, 2, 0} { // of those that need about as much the last; 3 has left
		got := due(12 * second)
		if got != want {
			t.Fatalf("there is room: request %d goes, want %d", got, want)
		}
		if got > 0 {
			waiting[got-1].Decide(true, 12*second)
		}
	}
	if _, waits := w.tryHold(t, 9, 100, 13*second); waits {
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
		w, _ := crowdedWorker(t, c.more)
		held := 0
		for i := range 12 {
			x, waits := w.tryHold(t, uint32(i+1), c.words, 10*second)
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
	w, _ := crowdedWorker(t, "")
	w.pools[0].cfg.HoldLimit = 0
	if _, waits := w.tryHold(t, 1, 100, 10*second); waits {
		t.Error("a request waits")
	}
}

// If the clock is set back, all that wait go after the limit, and not one after the other.
func TestHoldsWhenTheClockIsSetBack(t *testing.T) {
	w, _ := crowdedWorker(t, "")
	for i := range 4 {
		if _, waits := w.tryHold(t, uint32(i+1), 100, 10*second); !waits {
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
	w, _ := crowdedWorker(t, "")
	for i := range mostFreed + 3 {
		if _, waits := w.tryHold(t, uint32(i+1), 10, 10*second); !waits {
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
	begin := func(model string, n int) *Exchange {
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
		x.Write(fmt.Appendf(nil, `{"model":%q,"prompt":%q}`, model, fmt.Sprint(n, strings.Repeat(" and so on", 100))))
		return x
	}
	answer := func(model string, n int, now int64) {
		x := begin(model, n)
		if code := x.Decide(true, now); code != "" {
			t.Fatal(code)
		}
		x.Headers(Server{Address: x.Address()}, 200, "application/json", now)
		x.Chunk(now)
		x.Complete()
		x.End(now+2*second, false)
	}
	for _, model := range []string{"a", "b"} {
		for i := range 40 {
			answer(model, i/2, second)
		}
	}
	for _, p := range w.pools {
		p.known.NoteLost(0, second)
		p.known.NoteLost(10, 3*second)
	}
	for _, now := range []int64{4 * second, 10 * second} { // it lasts
		for _, p := range w.pools {
			for i := range 3 {
				p.known.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, KVTokens: 100_000, KVUsage: 1})
			}
		}
		for _, model := range []string{"a", "b"} {
			answer(model, 0, now)
			x := begin(model, 99)
			x.Hold(99, now)
			x.End(now, true)
		}
	}
	hold := func(model string, id uint32, now int64) {
		if !begin(model, 1000+int(id)).Hold(id, now) {
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
