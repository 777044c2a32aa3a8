package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
)

// A prompt leaves the endpoint that holds it if there is no memory for it there, and waiting for some costs more than computing it
// anew elsewhere; not if all fits, or memory becomes free soon. But what it left there has been evicted by then: where another
// endpoint has nothing to do, it leaves for that one, however soon.
func TestWaitsForMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		used    float64 // share of the memory where the prompt is cached; elsewhere nothing is used
		seconds int64   // that responses take
		busy    int     // requests at each endpoint, of another worker
		stays   bool
	}{
		{"all fits", 0.5, 60, 0, true},
		{"none is free", 1, 60, 0, false},
		{"none is free, and responses are short", 1, 0, 1, true},
		{"none is free, and responses are short, but nothing is done elsewhere", 1, 0, 0, false},
	} {
		r := routerOf(config.PolicyCacheAware, 3)
		const room, start = 20_000, 1000 * second
		page := func(i int, at int64, used float64) {
			r.ApplyMetrics(i, at, &exposition.Load{Has: tellsMemory,
				Running: 4 * used, KVTokens: room, KVUsage: used})
		}
		for i := range 3 {
			page(i, start, 0)
		}
		d := decide(r, 1, 40, start)
		home := d.Endpoint()
		r.firstToken(d, start+second)
		r.end(d, start+(1+c.seconds)*second, pool.Outcome{Ending: health.Answered})
		now := start + 600*second
		for i := range 3 {
			r.SetWorkers(i, c.busy, 0, queue.Line{})
			page(i, now, 0)
		}
		page(home, now, c.used)
		if again := decide(r, 1, 41, now); (again.Endpoint() == home) != c.stays {
			t.Errorf("%s: at %d by %v, where it was before: %d", c.name, again.Endpoint(), again.Reason, home)
		}
	}
}

// What is queued is computed while memory becomes free: the longer wait counts, not the sum.
func TestLongerWaitCounts(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 1)
	d := decide(r, 1, 40, second)
	r.firstToken(d, 2*second)
	r.end(d, 12*second, pool.Outcome{Ending: health.Answered})
	term := func(waits, usage float64) float64 {
		r.SetWorkers(0, 0, 0, queue.Line{Queued: waits})
		r.ApplyMetrics(0, 20*second, &exposition.Load{Has: tellsMemory, KVTokens: 20_000, KVUsage: usage, Running: 2})
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(2, 2), Now: 20 * second}, d)
		return d.Terms[0].Value
	}
	idle, queued, full := term(0, 0), term(5000, 0), term(0, 1)
	if queued <= idle || full <= queued {
		t.Fatalf("costs %v idle, %v with a queue, %v with full memory", idle, queued, full)
	}
	if both := term(100, 1); both > full+0.1*(full-idle) {
		t.Errorf("cost %v with full memory and a short queue, %v without", both, full)
	}
}
