package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// crowdedWorker is a worker of model m whose endpoints' memory is full since 4 s; it is second 10.
func crowdedWorker(t *testing.T, more string) *Worker {
	t.Helper()
	return crowded(t, `,"hold_limit":"10s"`+more)
}

// patientWorker is likewise one that holds prompts for longer.
func patientWorker(t *testing.T) *Worker {
	t.Helper()
	return crowded(t, `,"hold_limit":"60s"`)
}

func crowded(t *testing.T, more string) *Worker {
	t.Helper()
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"seed":5,"scrape":{"path":""}`+more+`}`, memstore.New())
	crowd(t, w)
	return w
}

// crowd fills the memory of w's first pool for long enough.
func crowd(t *testing.T, w *Worker) {
	t.Helper()
	talk(t, w, "m")
	for _, now := range []int64{4 * second, 10 * second} { // it lasts
		w.Tick(now)
		fill(w.pools[0], now, 1, 1, 1)
		answer(t, w, "m", 0, now)
		bring(w, "m", 99, 1).tryAndLeave(now)
	}
}

// fill says how much of its 100,000 tokens of memory each endpoint uses, as a share.
func fill(p *Pool, now int64, used ...float64) {
	for i, share := range used {
		p.known.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, KVTokens: 100_000, KVUsage: share})
	}
}

// talk has twenty talks of two turns answered by a model, and ten more begin that get no answer yet.
func talk(t *testing.T, w *Worker, model string) {
	t.Helper()
	for i := range 40 {
		answer(t, w, model, i/2, second)
	}
	for i := range 10 {
		if code := bring(w, model, 500+i, 100).Decide(true, second); code != "" {
			t.Fatal(code)
		}
	}
}

// answer has prompt n answered by a model within three seconds.
func answer(t *testing.T, w *Worker, model string, n int, now int64) {
	t.Helper()
	x := bring(w, model, n, 100)
	if code := x.Decide(true, now); code != "" {
		t.Fatal(code)
	}
	x.Headers(Server{Address: x.Address()}, 200, "application/json", now)
	x.Chunk(now)
	x.Complete()
	x.End(now+3*second, false)
}

// bring is a request whose body has come: prompt n, with as many words.
func bring(w *Worker, model string, n, words int) *Exchange {
	return bringText(w, model, fmt.Sprint(n, strings.Repeat(" and so on", words)))
}

// bringText is likewise of a prompt.
func bringText(w *Worker, model, prompt string) *Exchange {
	x := new(Exchange)
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
	x.Write(fmt.Appendf(nil, `{"model":%q,"prompt":%q}`, model, prompt))
	return x
}

// tryHold brings a request of model m as far as Hold, and says whether it waits.
func tryHold(w *Worker, id uint32, words int, now int64) (x *Exchange, waits bool) {
	x = bring(w, "m", 1000+int(id), words)
	return x, x.Hold(id, now)
}

// tryAndLeave is a request that leaves as soon as it is known whether it waits.
func (x *Exchange) tryAndLeave(now int64) {
	x.Hold(99, now)
	x.End(now, true)
}
