//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// eds is a cluster's hosts in a file that Envoy watches: what a control plane would send.
type eds struct{ dir string }

// write puts hosts, by address with their health status, in place of those before.
func (e *eds) write(t *testing.T, hosts map[string]string) {
	t.Helper()
	var list []any
	for _, address := range slices.Sorted(maps.Keys(hosts)) {
		ip, port, _ := strings.Cut(address, ":")
		n, err := strconv.Atoi(port)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, map[string]any{
			"health_status": hosts[address],
			"endpoint":      map[string]any{"address": map[string]any{"socket_address": map[string]any{"address": ip, "port_value": n}}},
		})
	}
	text, err := json.Marshal(map[string]any{"resources": []any{map[string]any{
		"@type":        "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
		"cluster_name": "vllm", "endpoints": []any{map[string]any{"lb_endpoints": list}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(e.dir, "next.json")
	if err := os.WriteFile(next, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(e.dir, "eds.json")); err != nil {
		t.Fatal(err)
	}
}

// edit makes the cluster's hosts those of the file.
func (e *eds) edit(doc any) {
	for _, cluster := range gateway.Find(doc, "load_assignment") {
		if cluster["name"] == "vllm" {
			delete(cluster, "load_assignment")
			cluster["type"] = "EDS"
			cluster["eds_cluster_config"] = map[string]any{"eds_config": map[string]any{
				"resource_api_version": "V3",
				"path_config_source": map[string]any{
					"path": filepath.Join(e.dir, "eds.json"), "watched_directory": map[string]any{"path": e.dir},
				},
			}}
		}
	}
}

// launchDiscovered starts three replicas and an Envoy that knows those of up by EDS alone.
func launchDiscovered(t *testing.T, workers int, up ...int) (*stack, *eds, []string) {
	t.Helper()
	f := pool(t)
	e := &eds{t.TempDir()}
	opt := options("discovery", f, nil)
	hosts := map[string]string{}
	for _, i := range up {
		hosts[opt.Replicas[i]] = "HEALTHY"
	}
	e.write(t, hosts)
	opt.Concurrency = workers
	opt.Edit = e.edit

	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &stack{Gateway: g, fleet: f}, e, opt.Replicas
}

// where sends one request for each of n stories, and tells which replica answered.
func (s *stack) where(t *testing.T, n int) []string {
	t.Helper()
	var list []string
	for i := range n {
		r := s.post(t, "/v1/chat/completions", chat(story(i), "Where?", nil))
		if r.status != 200 {
			t.Fatalf("status %d: %s\n%s", r.status, r.body, s.Log())
		}
		list = append(list, r.replica)
	}
	return list
}

// steered waits until the module knows n endpoints: a request's decision names one, and the others after it.
func (s *stack) steered(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d endpoints are known", n), func() bool {
		d := s.post(t, "/v1/chat/completions", chat(story(99), "Who?", nil)).decision
		known := 0
		if d["endpoint"] != "" {
			known = 1 + len(strings.FieldsFunc(d["next"], func(r rune) bool { return r == ',' }))
		}
		return known == n
	})
}

// Replicas come and go without a restart; those that stay keep their prompts; none is listed but by Envoy.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	s, hosts, address := launchDiscovered(t, 2, 0, 1)
	s.steered(t, 2)
	const n = 24
	before := s.where(t, n)
	if again := s.where(t, n); !slices.Equal(again, before) {
		t.Errorf("warm prompts moved:\n%v\n%v", before, again)
	}

	hosts.write(t, map[string]string{address[0]: "HEALTHY", address[1]: "HEALTHY", address[2]: "HEALTHY"})
	s.steered(t, 3)
	if again := s.where(t, n); !slices.Equal(again, before) {
		t.Errorf("warm prompts moved when a replica joined:\n%v\n%v", before, again)
	}
	fresh := map[string]int{}
	for i := range n {
		fresh[s.post(t, "/v1/chat/completions", chat(story(1000+i), "New?", nil)).replica]++
	}
	if got := fresh[s.fleet.Replicas[2].Name()]; got < n/6 || got > n/2+2 {
		t.Errorf("of %d new prompts the new replica got %d: %v", n, got, fresh)
	}

	hosts.write(t, map[string]string{address[0]: "HEALTHY", address[2]: "HEALTHY"})
	s.steered(t, 2)
	for i, at := range s.where(t, n) {
		if gone := s.fleet.Replicas[1].Name(); at == gone || before[i] != gone && at != before[i] {
			t.Errorf("story %d was at %s, and is at %s after %s has left", i, before[i], at, gone)
		}
	}

	hosts.write(t, map[string]string{address[0]: "HEALTHY", address[1]: "DRAINING", address[2]: "UNHEALTHY"})
	eventually(t, "only the healthy one is used", func() bool {
		return !slices.ContainsFunc(s.where(t, 6), func(name string) bool { return name != s.fleet.Replicas[0].Name() })
	})

	hosts.write(t, nil)
	eventually(t, "without endpoints requests pass, and Envoy answers", func() bool {
		return s.post(t, "/v1/chat/completions", chat(story(5), "Anyone?", nil)).status == 503
	})
	hosts.write(t, map[string]string{address[1]: "HEALTHY"})
	s.steered(t, 1)
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 }) // by the next tick
}

// One worker of four asks each replica for its metrics, and all know what it learned.
func TestScraping(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ example, policy string }{
		{"endpoint", "join_shortest_queue"}, {"cluster", "cache_aware"}, {"discovery", "prefix_hash"},
	} {
		t.Run(c.example+"/"+c.policy, func(t *testing.T) {
			s := launch(t, c.example, func(o *gateway.Options) {
				o.Concurrency = 4
				o.Plugin = map[string]any{"policy": c.policy}
			})
			eventually(t, "pages are read", func() bool { return s.scrapes()[0] >= 2 })
			from := s.scrapes()
			time.Sleep(3 * time.Second)
			for i, n := range s.scrapes() {
				if n -= from[i]; n < 1 || n > 5 {
					t.Errorf("replica %d was asked %d times in 3 s, want about 3", i, n)
				}
			}
			// Others' requests make the first replica busy: Envoy has not seen them, its workers know by its metrics.
			busy := s.fleet.Replicas[0]
			for range 40 {
				go post(t, busy.URL(), chat(story(7), "Busy?", map[string]any{"max_tokens": 100000}))
			}
			eventually(t, "the busy replica is avoided by every worker", func() bool {
				return !slices.Contains(s.where(t, 12), busy.Name())
			})
		})
	}
}

// scrapes is how often each replica was asked for its metrics.
func (s *stack) scrapes() []int {
	var list []int
	for _, r := range s.fleet.Replicas {
		list = append(list, r.Scrapes())
	}
	return list
}

// post sends a request to a replica without the gateway; what becomes of it does not matter.
func post(t *testing.T, url, body string) {
	if response, err := client.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body)); err == nil {
		response.Body.Close()
	}
}

// restart stops a replica and starts another at its port, with an empty cache and counters from 0.
func (s *stack) restart(t *testing.T, i int) *fleet.Server {
	t.Helper()
	old := s.fleet.Replicas[i]
	_, text, _ := strings.Cut(old.Addr(), ":")
	port, err := strconv.Atoi(text)
	if err == nil {
		err = old.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 1, Port: port, Profile: profile(t), Speed: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f.Replicas[0]
}

// A replica that restarts has an empty cache: the module sees its counters fall and believes nothing of it any more.
func TestRestartIsNoticed(t *testing.T) {
	t.Parallel()
	s := launch(t, "discovery", nil)
	s.steered(t, 3)
	first := s.post(t, "/v1/chat/completions", chat(story(1), "A", nil))
	second := s.post(t, "/v1/chat/completions", chat(story(1), "B", nil))
	if second.replica != first.replica || second.decision["matched"] == "0" {
		t.Fatalf("the second went to %s after %s, %v", second.replica, first.replica, second.decision)
	}
	at := slices.IndexFunc(s.fleet.Replicas, func(r *fleet.Server) bool { return r.Name() == first.replica })
	eventually(t, "its metrics are read", func() bool { return s.scrapes()[at] > 1 })
	time.Sleep(1500 * time.Millisecond)
	again := s.restart(t, at)
	eventually(t, "the new one's metrics are read", func() bool { return again.Scrapes() > 1 })
	time.Sleep(500 * time.Millisecond) // until every worker has had its tick
	if third := s.post(t, "/v1/chat/completions", chat(story(1), "C", nil)); third.decision["matched"] != "0" {
		t.Errorf("after the restart %s blocks are believed to be held: %v", third.decision["matched"], third.decision)
	}
}

// Asking in vain costs nothing but the news: no such cluster, one without hosts, one where nobody listens.
func TestAskingInVain(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]map[string]any{
		"no such cluster": {"scrape": map[string]any{"cluster": "nobody"}},
		"no hosts":        {"scrape": map[string]any{"cluster": "empty"}},
		"nobody listens":  {"scrape": map[string]any{"cluster": "refusing"}},
		"no admin host":   {"endpoints": nil, "discovery": map[string]any{"cluster": "vllm", "admin_cluster": "empty"}},
		"not the admin":   {"endpoints": nil, "discovery": map[string]any{"cluster": "vllm", "admin_cluster": "vllm"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := launch(t, "endpoint", func(o *gateway.Options) {
				o.Concurrency, o.Plugin = 2, asked
				o.Edit = func(doc any) {
					at := gateway.Find(doc, "clusters")[0]
					at["clusters"] = append(at["clusters"].([]any),
						map[string]any{"name": "empty", "type": "STATIC"},
						map[string]any{"name": "refusing", "type": "STATIC", "load_assignment": map[string]any{
							"cluster_name": "refusing", "endpoints": []any{map[string]any{"lb_endpoints": []any{map[string]any{"endpoint": map[string]any{
								"address": map[string]any{"socket_address": map[string]any{"address": "127.0.0.1", "port_value": 1}}}}}}}}})
				}
			})
			time.Sleep(1500 * time.Millisecond)
			for _, status := range []int{s.post(t, "/v1/chat/completions", chat(story(1), "A", nil)).status, s.post(t, "/v1/chat/completions", chat(story(2), "B", nil)).status} {
				if status != 200 {
					t.Errorf("status %d", status)
				}
			}
			log := s.Log()
			if strings.Contains(log, "RuntimeError") || strings.Contains(log, "panic") {
				t.Errorf("the module failed:\n%s", log)
			}
			if !strings.Contains(log, "warmroute: ") {
				t.Errorf("the log says nothing of it:\n%s", log)
			}
		})
	}
}
