//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// fleetOf starts two replicas that serve a model and its adapters, and nothing else: a request of another pool gets 404.
func fleetOf(t *testing.T, model string, adapters ...string) *fleet.Fleet {
	t.Helper()
	f, err := fleet.Start(fleet.Options{N: 2, Profile: profile(t), Speed: 8, Model: model, Adapters: adapters})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// service is one Envoy cluster and the models that its replicas serve.
type service struct {
	cluster  string
	model    string
	adapters []string
	path     string // requests to paths below it go there by their route; "": by their model
}

var services = []service{
	{"orchard", "orchard-8b", []string{"orchard-poet", "orchard-sql"}, ""},
	{"orchard-batch", "orchard-8b", nil, "/batch"},
	{"willow", "willow-32b", nil, ""},
	{"maple", "maple-1b", nil, ""},
	{"rest", "old-model", nil, ""},
}

// poolsOf is the module's pools for the services: by cluster where the route says which, by model, and the rest.
func poolsOf(services []service) (pools []any) {
	for _, s := range services {
		pool := map[string]any{"name": s.cluster, "discovery": map[string]any{"cluster": s.cluster}}
		switch {
		case s.path != "":
			pool["match"] = map[string]any{"cluster": s.cluster}
		case s.cluster != "rest":
			pool["match"] = map[string]any{"models": append([]string{s.model}, s.adapters...)}
		}
		pools = append(pools, pool)
	}
	return pools
}

// clusterOf is the example's cluster for another name and other replicas.
func clusterOf(example map[string]any, name string, f *fleet.Fleet) map[string]any {
	c := maps.Clone(example)
	var hosts []any
	for _, r := range f.Replicas {
		var port int
		fmt.Sscanf(r.Addr(), "127.0.0.1:%d", &port)
		hosts = append(hosts, map[string]any{"endpoint": map[string]any{"address": map[string]any{
			"socket_address": map[string]any{"address": "127.0.0.1", "port_value": port}}}})
	}
	c["name"] = name
	c["load_assignment"] = map[string]any{"cluster_name": name, "endpoints": []any{map[string]any{"lb_endpoints": hosts}}}
	return c
}

// front starts the Envoy of the pools example with these services, each with a fleet of its own.
func front(t *testing.T, services []service, edit func(doc any)) (*stack, map[string]*fleet.Fleet) {
	t.Helper()
	fleets := fleetsOf(t, services)
	g, err := gateway.Start(t.Context(), frontOptions(services, fleets, edit))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &stack{Gateway: g}, fleets
}

func fleetsOf(t *testing.T, services []service) map[string]*fleet.Fleet {
	t.Helper()
	fleets := map[string]*fleet.Fleet{}
	for _, s := range services {
		fleets[s.cluster] = fleetOf(t, s.model, s.adapters...)
	}
	return fleets
}

// frontOptions are those of the pools example with these services.
func frontOptions(services []service, fleets map[string]*fleet.Fleet, edit func(doc any)) gateway.Options {
	opt := options("pools", &fleet.Fleet{}, map[string]any{"pools": poolsOf(services), "paths": []any{map[string]any{"path": "/batch/**"}}})
	opt.Concurrency = 2
	opt.Edit = func(doc any) {
		list := gateway.Find(doc, "clusters")[0]
		all := list["clusters"].([]any)
		example, admin := all[0].(map[string]any), all[len(all)-1]
		clusters := []any{admin}
		host := gateway.Find(doc, "routes")[0]
		routes := host["routes"].([]any)[:1] // by the module's header
		for _, s := range services {
			clusters = append(clusters, clusterOf(example, s.cluster, fleets[s.cluster]))
			if s.path != "" {
				routes = append(routes, map[string]any{"match": map[string]any{"prefix": s.path + "/"},
					"route": map[string]any{"cluster": s.cluster, "prefix_rewrite": "/", "timeout": "0s"}})
			}
		}
		list["clusters"] = clusters
		host["routes"] = append(routes, map[string]any{"match": map[string]any{"prefix": "/"},
			"route": map[string]any{"cluster": services[len(services)-1].cluster, "timeout": "0s"}})
		if edit != nil {
			edit(doc)
		}
	}
	return opt
}

// talk sends turn k of conversation c about a model of a service.
func (s *stack) talk(t *testing.T, to service, model string, c, k int) reply {
	t.Helper()
	body := chat(story(c), strings.Repeat("and then? ", 40*(k+1)), map[string]any{"model": model})
	path := "/v1/chat/completions"
	if to.path != "" {
		path = to.path + path
	}
	return s.post(t, path, body)
}

// tokens are those of the prompts that a fleet was asked, and those of them that its caches had.
type tokens struct{ asked, had int64 }

func tokensOf(f *fleet.Fleet) (sum tokens) {
	for _, r := range f.Replicas {
		sum.asked, sum.had = sum.asked+r.Stats().Queries, sum.had+r.Stats().Hits
	}
	return sum
}

// hits is the share of prompt tokens that the caches of a fleet had, since before.
func hits(f *fleet.Fleet, before tokens) float64 {
	now := tokensOf(f)
	return float64(now.had-before.had) / float64(now.asked-before.asked)
}

// ready waits until the module has discovered each service's replicas.
func (s *stack) ready(t *testing.T, services []service) {
	t.Helper()
	for _, to := range services {
		eventually(t, to.cluster+" is discovered", func() bool {
			return s.talk(t, to, to.model, 999, 0).decision["pool"] == to.cluster
		})
	}
}

// Three models in four pools, with two adapters and a pool for the rest, behind one Envoy: each request gets to its own
// pool, and the caches of each pool are used as if it had a gateway of its own.
func TestPools(t *testing.T) {
	t.Parallel()
	const conversations, turns = 12, 5
	talk := func(t *testing.T, s *stack, list []service) {
		for k := range turns {
			for c := range conversations {
				for _, to := range list {
					for _, model := range append([]string{to.model}, to.adapters...) {
						r := s.talk(t, to, model, c, k)
						if r.status != 200 || r.decision["pool"] != to.cluster {
							t.Fatalf("%s by %s: status %d, pool %q: %s", model, to.cluster, r.status, r.decision["pool"], r.body)
						}
					}
				}
			}
		}
	}
	together, fleets := front(t, services, nil)
	together.ready(t, services)
	before := map[string]tokens{} // what it took to be ready
	for name, f := range fleets {
		before[name] = tokensOf(f)
	}
	talk(t, together, services)
	for _, to := range services {
		apart, alone := front(t, []service{to}, nil)
		apart.ready(t, []service{to})
		ready := tokensOf(alone[to.cluster])
		talk(t, apart, []service{to})
		got, want := hits(fleets[to.cluster], before[to.cluster]), hits(alone[to.cluster], ready)
		t.Logf("%-14s hit rate %.3f, with a gateway of its own %.3f", to.cluster, got, want)
		if got < want-0.02 {
			t.Errorf("%s: hit rate %.3f, with a gateway of its own %.3f", to.cluster, got, want)
		}
	}
	eventually(t, "all requests are counted", func() bool { return together.stat(t, `warmroute_requests_total{`) >= conversations*turns*7 })
	for _, to := range services {
		if text, _ := together.Get("/stats/prometheus?usedonly"); !strings.Contains(text, `pool="`+to.cluster+`"`) {
			t.Errorf("no metric has the label of the pool %s", to.cluster)
		}
	}
}

// A model of no pool goes where the route says, and is counted.
func TestModelOfNoPool(t *testing.T) {
	list := services[:1]
	s, _ := front(t, list, nil)
	s.ready(t, list)
	before := s.stat(t, `warmroute_passed_total{reason="no_pool"`)
	if r := s.post(t, "/v1/chat/completions", chat("S", "U", map[string]any{"model": "nobody-7b"})); r.status != 404 || r.replica == "" {
		t.Errorf("status %d of %q, want the 404 of a replica", r.status, r.replica)
	}
	eventually(t, "it is counted", func() bool { return s.stat(t, `warmroute_passed_total{reason="no_pool"`) == before+1 })
	if r := s.post(t, "/v1/chat/completions", chat("S", "U", map[string]any{"model": "orchard-8b"}), "x-warmroute-cluster", "admin"); r.status != 200 {
		t.Errorf("a client's own cluster header: status %d", r.status)
	}
}

// Clusters that a pattern fits are pools, each from its first request on, without a list; others are none.
func TestPoolsByPattern(t *testing.T) {
	list := []service{
		{"outbound|8000||willow.models.svc.cluster.local", "willow-32b", nil, "/willow"},
		{"outbound|8000||maple.models.svc.cluster.local", "maple-1b", nil, "/maple"},
		{"outbound|8000||other.shop.svc.cluster.local", "shop-1b", nil, "/shop"},
	}
	s, _ := front(t, list, func(doc any) {
		for _, filter := range gateway.Find(doc, "configuration") {
			value := filter["configuration"].(map[string]any)
			value["value"] = `{"discovery": {"admin_cluster": "admin"}, "response_header": "x-warmroute-decision",
				"paths": [{"path": "/willow/**"}, {"path": "/maple/**"}, {"path": "/shop/**"}],
				"pools": [{"name": "models-*", "match": {"cluster": "outbound|8000||*.models.svc.cluster.local"}}]}`
		}
	})
	for _, c := range []struct {
		to   service
		pool string
	}{{list[0], "models-willow"}, {list[1], "models-maple"}} {
		eventually(t, c.pool+" is steered", func() bool { return s.talk(t, c.to, c.to.model, 1, 0).decision["pool"] == c.pool })
		for n := range 8 {
			first, second := s.talk(t, c.to, c.to.model, n, 0), s.talk(t, c.to, c.to.model, n, 1)
			if first.status != 200 || second.replica != first.replica || second.decision["pool"] != c.pool {
				t.Errorf("%s: status %d, %s after %s, %v", c.pool, first.status, second.replica, first.replica, second.decision)
			}
		}
		eventually(t, "two endpoints of "+c.pool+" are counted", func() bool {
			s.talk(t, c.to, c.to.model, 1, 0)
			return s.stat(t, `warmroute_endpoints{pool="`+c.pool+`"`) == 2
		})
	}
	if r := s.talk(t, list[2], list[2].model, 1, 0); r.status != 200 || len(r.decision) > 0 {
		t.Errorf("a cluster that does not fit: status %d, %v", r.status, r.decision)
	}
}
