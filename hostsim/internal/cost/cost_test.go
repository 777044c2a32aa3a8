package cost

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"warmroute/plugin/exposition"
)

// Bodies are JSON of the size asked for; each turn goes on with the one before, and the first begins anew.
func TestTalk(t *testing.T) {
	for _, c := range []Case{{Bytes: 4096, Turns: 1}, {Bytes: 32 << 10, Turns: 4}, {Bytes: 1 << 20, Turns: 1}} {
		all, last := talk{random: rand.New(rand.NewPCG(1, 2)), c: c}, ""
		for i := range 9 {
			body, before := all.next()
			turn := i%c.Turns + 1
			if want := c.Bytes * turn / c.Turns; len(body) > want+200 || len(body) < want-200 || !json.Valid(body) {
				t.Fatalf("%s: turn %d has %d bytes, want about %d of JSON", c, turn, len(body), want)
			}
			if turn == 1 && before != 0 || turn > 1 && string(body[:before]) != last[:before] {
				t.Fatalf("%s: turn %d goes on after %d bytes", c, turn, before)
			}
			if turn == 1 && last == string(body) {
				t.Fatalf("%s: the same prompt twice", c)
			}
			last = string(body)
		}
	}
}

func TestThreads(t *testing.T) {
	cpu, err := threads(os.Getpid())
	if err != nil || cpu["main"]+cpu["other"] == 0 || resident(os.Getpid()) == 0 {
		t.Errorf("this process: %v, %v, %d bytes", cpu, err, resident(os.Getpid()))
	}
}

// The page that an idle gateway reads is one that the module understands.
func TestMetricsPage(t *testing.T) {
	var r exposition.Reader
	r.Write(metricsPage())
	if l := r.Close(); l.Has&exposition.HasRunning == 0 || l.Truncated || len(metricsPage()) < 50_000 {
		t.Errorf("%d bytes are read as %+v", len(metricsPage()), l)
	}
}

// With several pools each has a cluster, a route and a pool of the module's.
func TestPutPools(t *testing.T) {
	p := plugin(Setting{Endpoints: 2, Pools: 3}, Variant{}, []string{"127.0.0.1:1", "127.0.0.1:2"})
	if n := len(p["pools"].([]any)); n != 3 || p["endpoints"] != nil {
		t.Errorf("%d pools of the module, and %v", n, p["endpoints"])
	}
	doc := map[string]any{
		"clusters": []any{map[string]any{"name": "vllm"}},
		"routes":   []any{map[string]any{"match": map[string]any{"prefix": "/"}, "route": map[string]any{"cluster": "vllm"}}},
	}
	putPools(doc, 3)
	clusters, routes := doc["clusters"].([]any), doc["routes"].([]any)
	if len(clusters) != 4 || len(routes) != 4 {
		t.Fatalf("%d clusters, %d routes", len(clusters), len(routes))
	}
	for i := range 3 {
		name := clusters[i+1].(map[string]any)["name"]
		if to := routes[i].(map[string]any)["route"].(map[string]any)["cluster"]; to != name {
			t.Errorf("route %d goes to %v, cluster %d is %v", i, to, i, name)
		}
	}
}

// The external processing server gets what the module has in the file, with what a measurement changes.
func TestModuleConfig(t *testing.T) {
	const examples = "../../../examples/envoy/"
	text, err := moduleConfig(examples+"endpoint.yaml", map[string]any{"endpoints": []string{"127.0.0.1:1"}, "block_bytes": 64, "scrape": nil})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"block_bytes":64,"endpoints":["127.0.0.1:1"],"policy":"cache_aware","steer":{"target":"endpoint","via":"header"}}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	for _, file := range []string{"gateways.yaml", "missing.yaml"} {
		if text, err := moduleConfig(examples+file, nil); err == nil {
			t.Errorf("%s is accepted: %s", file, text)
		}
	}
}
