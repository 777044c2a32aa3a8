//go:build e2eistio

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// service is a Service of its own pods, and how requests get there through istio/pools.
type service struct {
	name     string
	pool     string
	model    string
	adapters []string
	path     string // requests below it go there by their route
	host     string // or those for it; both empty: by their model
	first    int    // of its pods and replicas
}

const podsOfService = 2

var (
	fallback = service{name: "vllm", pool: "vllm", model: "warmroute-sim"} // the pods of the StatefulSet
	services = []service{
		{name: "vllm-sql", pool: "sql", model: "sql", adapters: []string{"sql-poet", "sql-cook"}, first: 0},
		{name: "vllm-batch", pool: "vllm-batch", model: "sql", path: "/batch", first: 2},
		{name: "vllm-maple", pool: "vllm-maple", model: "maple-1b", host: "maple.example", first: 4},
		{name: "vllm-willow", pool: "vllm-willow", model: "willow-32b", host: "willow.example", first: 6},
	}
	late = service{name: "vllm-late", pool: "vllm-late", model: "late-7b", host: "late.example", first: 8}
)

// routes are a Service and, where requests name its host, its VirtualService: all that a pool more takes.
func (v service) routes() []object {
	list := []object{{"apiVersion": "v1", "kind": "Service", "metadata": object{"namespace": "default", "name": v.name},
		"spec": object{"clusterIP": "None", "selector": object{"app": v.name},
			"ports": []any{object{"name": "http", "port": 8000, "targetPort": "http"}}}}}
	if v.host != "" {
		route := object{"destination": object{"host": v.name + ".default.svc.cluster.local", "port": object{"number": 8000}}}
		list = append(list, object{"apiVersion": "networking.istio.io/v1", "kind": "VirtualService", "metadata": object{"namespace": "default", "name": v.name},
			"spec": object{"hosts": []any{v.host}, "gateways": []any{"llm"}, "http": []any{object{"route": []any{route}}}}})
	}
	return list
}

// talk sends turn k of conversation c about a model.
func (v service) talk(t *testing.T, g *gateway, model string, c, k int) reply {
	t.Helper()
	body := fmt.Sprintf(`{"model":%q,"max_tokens":1,"prompt":%q}`, model, story(c)+strings.Repeat(" And then?", 60*(k+1)))
	return g.send(t, http.MethodPost, v.path+"/v1/completions", body, "host", v.host)
}

// converse holds conversations with all models of the services, turn after turn.
func converse(t *testing.T, g *gateway, first int, list ...service) {
	t.Helper()
	for k := range 5 {
		for c := first; c < first+8; c++ {
			for _, v := range list {
				for _, model := range append([]string{v.model}, v.adapters...) {
					if r := v.talk(t, g, model, c, k); r.status != http.StatusOK || r.decision["pool"] != v.pool {
						t.Fatalf("%s to %s: status %d, pool %q: %s", model, v.name, r.status, r.decision["pool"], r.body)
					}
				}
			}
		}
	}
}

// isSteered waits until the service is a pool with endpoints, eight times in a row: a new route comes to one worker after the other.
func (v service) isSteered(t *testing.T, g *gateway) {
	t.Helper()
	eventually(t, "requests are steered in the pool "+v.pool, func() bool {
		for range 8 {
			if r := v.talk(t, g, v.model, 0, 0); r.status != http.StatusOK || r.decision["pool"] != v.pool || r.decision["endpoint"] == "" {
				return false
			}
		}
		return true
	})
}

// stays holds a conversation, and says whether one replica answered all of its turns. Another may answer while a pool is a second old: a
// worker that has had no peer there writes what it decided at its ticks only, and the next one begins without the last of it.
func (v service) stays(t *testing.T, g *gateway, c int) bool {
	t.Helper()
	home := ""
	for k := range 5 {
		r := v.talk(t, g, v.model, c, k)
		if r.status != http.StatusOK || r.decision["pool"] != v.pool {
			t.Errorf("turn %d: status %d from %s: %v", k, r.status, r.replica, r.decision)
		}
		if k > 0 && r.replica != home {
			t.Logf("turn %d of conversation %d: from %s, at first %s: %v", k, c, r.replica, home, r.decision)
			return false
		}
		home = r.replica
	}
	return true
}

// TestPools: three models in four pools, two adapters, and a pool for everything else, behind one gateway: each request is in its
// pool, and the caches of each pool are used as if it had a gateway of its own. Another pool comes and goes under load.
func TestPools(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	s.apply(t, s.shipped(t, "pools", func(doc object) { // where two Services have pods of the StatefulSet, to be tried out
		if doc["kind"] == "Service" {
			doc["spec"].(object)["selector"] = object{"app": text(doc, "metadata", "name")}
		}
	}))
	for _, v := range append(services, late) {
		s.serve(t, v)
		if v.host != "" && v.name != late.name {
			s.apply(t, v.routes())
		}
	}
	all := append([]service{fallback}, services...)
	g := s.startGateway(t, classic)
	for _, v := range all {
		v.isSteered(t, g)
	}

	before := map[string]cacheUse{}
	for _, v := range all {
		before[v.name] = v.cacheUse(t)
	}
	converse(t, g, 1000, all...)
	together := map[string]float64{}
	for _, v := range all {
		together[v.name] = v.cacheUse(t).since(before[v.name])
	}
	poolComesAndGoes(t, s, g, all)
	if r := fallback.talk(t, g, "sql-nobody", 0, 0); r.status != http.StatusNotFound || r.decision["pool"] != "sql" {
		t.Errorf("an adapter that no replica has: status %d, %v, want the pool's 404", r.status, r.decision)
	}
	if r := g.send(t, http.MethodPost, "/v1/completions", `{"model":"warmroute-sim","max_tokens":1,"prompt":"Hello"}`,
		"x-warmroute-cluster", "outbound|8000||vllm-sql.default.svc.cluster.local"); r.status != http.StatusOK || r.decision["pool"] != "vllm" {
		t.Errorf("a client that names a pool's cluster: status %d, %v", r.status, r.decision)
	}
	g.agent.stop()
	if err := g.leave(); err != nil {
		t.Fatal(err)
	}

	for n, v := range all {
		alone := s.startGateway(t, classic)
		v.isSteered(t, alone)
		before := v.cacheUse(t)
		converse(t, alone, 2000+100*n, v)
		want := v.cacheUse(t).since(before)
		t.Logf("%-11s hit rate %.3f, with a gateway of its own %.3f", v.name, together[v.name], want)
		if together[v.name] < want-.03 {
			t.Errorf("%s: hit rate %.3f, with a gateway of its own %.3f", v.name, together[v.name], want)
		}
		alone.agent.stop()
		if err := alone.leave(); err != nil {
			t.Fatal(err)
		}
	}
}

// poolComesAndGoes: a Service and its route make a pool, and are removed again, while requests go to all others: none fails.
func poolComesAndGoes(t *testing.T, s *stack, g *gateway, all []service) {
	t.Helper()
	stop := inBackground(t, func(n int) reply {
		v := all[n%len(all)]
		r := v.talk(t, g, v.model, 3000+n%7, 0)
		if r.status == http.StatusOK && r.decision["pool"] != v.pool {
			r = reply{body: "in the pool " + r.decision["pool"]}
		}
		return r
	})
	for range 2 {
		docs := late.routes()
		for _, doc := range docs {
			if err := s.kube.apply(doc); err != nil {
				t.Fatal(err)
			}
		}
		late.isSteered(t, g)
		c := 0
		eventually(t, "a conversation stays where it began", func() bool { c++; return late.stays(t, g, c) })
		for _, doc := range []object{docs[1], docs[0]} { // first the route
			if err := s.kube.remove(doc); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "the pool's route is gone", func() bool {
			return late.talk(t, g, late.model, 1, 0).decision["pool"] == fallback.pool
		})
	}
	stop()
}
