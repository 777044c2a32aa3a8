//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// Two gateways with three pools hit in each pool as one gateway does: the turns of a conversation come to either.
func TestGatewaysOfPools(t *testing.T) {
	t.Parallel()
	const conversations, turns = 6, 4
	list := []service{services[0], services[2], services[3]}
	talk := func(gateways []*stack, list []service) {
		told := make([]float64, len(gateways)) // entries that each must have of the others
		for i, s := range gateways {
			told[i] = s.stat(t, "warmroute_peer_entries_total")
		}
		for k := range turns {
			for c := range conversations {
				for _, to := range list {
					at := (c + k) % len(gateways)
					r := gateways[at].talk(t, to, to.model, c, k)
					if r.status != 200 || r.decision["pool"] != to.cluster {
						t.Fatalf("%s: status %d, pool %q: %s", to.cluster, r.status, r.decision["pool"], r.body)
					}
					for i := range told {
						if i != at {
							told[i]++
						}
					}
				}
			}
			for i, s := range gateways {
				eventually(t, "the gateways have told each other", func() bool { return s.stat(t, "warmroute_peer_entries_total") >= told[i] })
			}
		}
	}
	hit := map[int]map[string]float64{}
	for _, n := range []int{1, 2} {
		fleets := fleetsOf(t, list)
		gateways := startPooled(t, n, list, fleets)
		for _, s := range gateways {
			s.ready(t, list)
			eventually(t, "the gateways know each other", func() bool { // of each pool
				return s.stat(t, "warmroute_peers{") >= float64((n-1)*len(list))
			})
		}
		before := map[string]tokens{}
		for name, f := range fleets {
			before[name] = tokensOf(f)
		}
		talk(gateways, list)
		hit[n] = map[string]float64{}
		for name, f := range fleets {
			hit[n][name] = hits(f, before[name])
		}
		for _, s := range gateways {
			text, err := s.Get("/stats/prometheus?usedonly")
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text) { // while one starts, it gives no answer
				if strings.HasPrefix(line, "warmroute_peer_faults_total{") && !strings.Contains(line, `reason="no_answer"`) {
					t.Error(line)
				}
			}
			s.Close()
		}
	}
	for _, to := range list {
		one, two := hit[1][to.cluster], hit[2][to.cluster]
		t.Logf("%-8s hit rate %.3f with one gateway, %.3f with two", to.cluster, one, two)
		if two < one-0.03 {
			t.Errorf("%s: hit rate %.3f with one gateway, %.3f with two", to.cluster, one, two)
		}
	}
}

// startPooled starts n gateways of the pools example that share news.
func startPooled(t *testing.T, n int, list []service, fleets map[string]*fleet.Fleet) (gateways []*stack) {
	t.Helper()
	var ports []int
	for range n {
		ports = append(ports, freePort(t))
	}
	for _, port := range ports {
		opt := frontOptions(list, fleets, func(doc any) { sharesNews(t, doc, port, ports) })
		opt.Env = []string{peersSecret}
		g, err := gateway.Start(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		gateways = append(gateways, &stack{Gateway: g})
	}
	return gateways
}

// sharesNews gives the pools example a listener for news, whose filter is the one that routes, and a cluster of the gateways.
func sharesNews(t *testing.T, doc any, port int, ports []int) {
	filter := gateway.Find(doc, "vm_config")[0]
	filter["vm_config"].(map[string]any)["environment_variables"] = map[string]any{"host_env_keys": []any{"WARMROUTE_PEERS_SECRET"}}
	value := filter["configuration"].(map[string]any)
	var config map[string]any
	if err := json.Unmarshal([]byte(value["value"].(string)), &config); err != nil {
		t.Fatal(err)
	}
	config["peers"] = map[string]any{"cluster": "gateways", "listener_port": port}
	value["value"] = toJSON(t, config)

	resources := gateway.Find(doc, "listeners")[0]
	listeners := resources["listeners"].([]any)
	var news map[string]any
	if err := json.Unmarshal([]byte(toJSON(t, listeners[0])), &news); err != nil {
		t.Fatal(err)
	}
	news["name"] = "news"
	news["address"] = map[string]any{"socket_address": map[string]any{"address": "127.0.0.1", "port_value": port}}
	for _, manager := range gateway.Find(news, "route_config") {
		manager["route_config"] = map[string]any{"virtual_hosts": []any{map[string]any{"name": "news", "domains": []any{"*"}}}}
	}
	resources["listeners"] = append(listeners, news)

	clusters := resources["clusters"].([]any)
	of := clusterOf(clusters[1].(map[string]any), "gateways", &fleet.Fleet{})
	var hosts []any
	for _, p := range ports {
		hosts = append(hosts, map[string]any{"endpoint": map[string]any{"address": map[string]any{
			"socket_address": map[string]any{"address": "127.0.0.1", "port_value": p}}}})
	}
	of["load_assignment"] = map[string]any{"cluster_name": "gateways", "endpoints": []any{map[string]any{"lb_endpoints": hosts}}}
	resources["clusters"] = append(clusters, of)
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
