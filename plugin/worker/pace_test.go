package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/scout"
	"warmroute/plugin/share/memstore"
)

// deaf is a proxy that makes no calls.
type deaf struct{}

func (deaf) Get(scout.Call) bool { return false }

// Workers tick once a second while nobody has requests, and as often as before from the next request on: the worker that has it at
// once, its peer after its next tick.
func TestIdleWorkersTickSeldom(t *testing.T) {
	const often, seldom = int64(2e8), int64(1e9)
	many := strings.Repeat(`"10.0.0.1:80",`, 700)
	for i := range 700 {
		many = strings.Replace(many, `"10.0.0.1:`, fmt.Sprintf(`"10.1.%d.%d:`, i/250, i%250), 1)
	}
	const one = `"endpoints":["10.0.0.1:80"]`
	for _, c := range []struct {
		name, configuration string
		rest                int64
	}{
		{"one endpoint", one + `,"scrape":{"cluster":"vllm"}`, seldom},
		{"more pages than seldom ticks can ask for", `"endpoints":[` + strings.TrimSuffix(many, ",") + `],"scrape":{"cluster":"vllm"}`, often},
		{"discovery", `"discovery":{"admin_cluster":"admin","cluster":"vllm","interval":"500ms"}`, 5e8},
		{"an endpoint chosen by the proxy", `"policy":"prefix_hash","steer":{"target":"hash"}`, seldom},
		{"two pools", `"pools":[{"name":"a","match":{"models":["m"]},"steer":{"cluster":"a"},` + one + `},{"name":"b","steer":{"cluster":"b"},"endpoints":["10.0.0.2:80"]}]`, seldom},
		{"other gateways", one + `,"peers":{"cluster":"gateways","addresses":["10.2.0.1:80"],"interval":"200ms"}`, often},
	} {
		t.Run(c.name, func(t *testing.T) {
			tickSeldom(t, `{"seed":5,"decide_timeout":"1s",`+c.configuration+`}`, often, c.rest)
		})
	}
}

func tickSeldom(t *testing.T, configuration string, often, rest int64) {
	cfg, err := config.Parse([]byte(configuration))
	if err != nil {
		t.Fatal(err)
	}
	now, shared := int64(second), memstore.New()
	workers, due := make([]*Worker, 2), make([]int64, 2)
	for i := range workers {
		if workers[i], err = New(&cfg, shared, deaf{}, cfg.Seed, now); err != nil {
			t.Fatal(err)
		}
		workers[i].JoinGateways(someSecrets, 1, nil)
	}
	pass := func(seconds int64) {
		for end := now + seconds*second; now < end; now += 1e8 {
			for i, w := range workers {
				if now >= due[i] {
					w.Tick(now)
					due[i] = now + w.Period()
				}
			}
		}
	}
	want := func(when string, first, peer int64) {
		t.Helper()
		if a, b := workers[0].Period(), workers[1].Period(); a != first || b != peer {
			t.Errorf("%s: %.1f and %.1f s between ticks, want %.1f and %.1f", when, float64(a)/1e9, float64(b)/1e9, float64(first)/1e9, float64(peer)/1e9)
		}
	}
	want("at the start", often, often)
	pass(8)
	want("8 s later", often, often)
	pass(65)
	want("after a minute without requests", rest, rest)

	x := &Exchange{}
	x.Begin(workers[0], &inspect.Head{Method: "GET", Path: "/health"})
	want("a request is passed on", rest, rest)
	x.Begin(workers[0], &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
	want("a request begins", often, rest)
	due[0] = now + workers[0].Period()
	pass(20)
	want("its body is late", often, rest)
	x.Write([]byte(`{"model":"m","prompt":"` + strings.Repeat("Some text. ", 100) + `"}`))
	x.Decide(true, now)
	counted := x.Open() && x.pool.known != nil
	pass(20)
	if counted {
		want("it is in flight", often, often)
	}
	x.End(now, false)
	pass(8)
	if counted {
		want("it has ended 8 s ago", often, often)
	}
	pass(65)
	want("after another minute", rest, rest)
}
