package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/inspect"
	"warmroute/plugin/models"
	"warmroute/plugin/share/memstore"
)

// Where replicas of one pool serve different models, and the memory of one model's is short, its new prompts wait, and no other model's.
func TestModelsHoldApart(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"seed":5,"scrape":{"path":""},"hold_limit":"10s"}`, memstore.New())
	known := w.pools[0].known
	fill := func(now int64, used ...float64) {
		for i := range 4 {
			known.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, KVTokens: 100_000, KVUsage: used[i/2]})
		}
	}
	for i := range 4 {
		known.SetModels(i, []models.Model{models.Of([]byte{"ab"[i/2]}, false)})
	}
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
	for i := range 40 {
		answer("a", i/2, second)
		answer("b", i/2, second)
	}
	known.NoteLost(0, second)
	known.NoteLost(10, 3*second)
	last := func(from, to int64, b float64) {
		for now := from; now <= to; now += second {
			fill(now, 1, b)
			for _, model := range []string{"b", "a"} {
				begin(model, int(900+now/second)).tryAndLeave(now)
				answer(model, 0, now)
			}
		}
	}
	last(4*second, 10*second, 0.05)
	hold := func(id uint32, model string, now int64) bool { return begin(model, int(1000+id)).Hold(id, now) }
	if !hold(1, "a", 10*second) {
		t.Fatal("a request for the model whose memory is short does not wait")
	}
	answer("b", 0, 10*second)
	if hold(2, "b", 10*second) {
		t.Error("a request for the other model waits")
	}
	if !hold(3, "a", 10*second) {
		t.Error("after one for the other model, the next for the model whose memory is short does not wait")
	}
	last(11*second, 17*second, 1)
	if !hold(4, "b", 17*second) {
		t.Fatal("a request for the other model does not wait, whose memory is short, too")
	}
	fill(18*second, 1, 0.05)
	if id, _ := w.Due(18 * second); id != 4 {
		t.Errorf("there is room for the other model: request %d goes, want 4", id)
	}
	if id, due := w.Due(18 * second); due {
		t.Errorf("request %d goes, and has no room", id)
	}
}

// tryAndLeave is a request that leaves as soon as it is known whether it waits.
func (x *Exchange) tryAndLeave(now int64) {
	x.Hold(99, now)
	x.End(now, true)
}
