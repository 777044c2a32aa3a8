package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
)

// Of the same machine, replicas that all refuse are broken; one that answers shows that they can be asked.
func TestNoReplicaListens(t *testing.T) {
	for _, c := range []struct {
		admin string
		hosts []string
		want  finding.Level
		what  string
	}{
		{"http://127.0.0.1:9901", []string{"127.0.0.1:1", "127.0.0.1:2"}, finding.Broken, "none of 2 answers: the connection is refused at 127.0.0.1:1, 127.0.0.1:2"},
		{"http://[::1]:9901", []string{"127.0.0.1:1"}, finding.Broken, "none of 1 answers"},
		{"http://10.0.0.1:9901", []string{"127.0.0.1:1"}, finding.Weak, "it cannot be asked from here"},
	} {
		all := examineReplicas(t.Context(), Options{Admin: c.admin, Timeout: time.Second}, []fleet{{hosts: c.hosts}})
		if len(all) == 0 || finding.Worst(all) != c.want || !strings.Contains(all[0].What, c.what) {
			t.Errorf("%s: %+v, want %q", c.admin, all, c.what)
		}
	}
	hosts := append(serving(t, "orchard"), "127.0.0.1:1")
	for admin, want := range map[string]string{"http://127.0.0.1:9901": "it refuses the connection", "http://10.0.0.1:9901": "it cannot be asked from here"} {
		all := examineReplicas(t.Context(), Options{Admin: admin, Timeout: 5 * time.Second}, []fleet{{hosts: hosts}})
		if text := fmt.Sprint(all); !strings.Contains(text, want) || !strings.Contains(text, "1 of 2 answer") {
			t.Errorf("%s: %s, want %q", admin, text, want)
		}
	}
	if noneListens(nil) || noneListens([]replica{{refused: true}, {fault: "time-out"}}) {
		t.Error("replicas that were not asked, or did not answer in time, are taken to refuse")
	}
}

// serving are replicas that serve one model each; the addresses are in the order of the models.
func serving(t *testing.T, models ...string) (hosts []string) {
	for _, model := range models {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/metrics":
				fmt.Fprint(w, "up 1\n")
			case "/v1/models":
				fmt.Fprintf(w, `{"data":[{"id":%q}]}`, model)
			default:
				http.NotFound(w, r)
			}
		}))
		t.Cleanup(s.Close)
		hosts = append(hosts, strings.TrimPrefix(s.URL, "http://"))
	}
	return hosts
}

// Replicas are compared within their pool, and their models only where the module does not ask for them.
func TestReplicasOfPools(t *testing.T) {
	hosts := serving(t, "orchard", "orchard", "willow")
	for _, c := range []struct {
		fleets []fleet
		differ bool
	}{
		{[]fleet{{hosts: hosts}}, true},
		{[]fleet{{hosts: hosts[:2]}, {hosts: hosts[2:]}}, false},
		{[]fleet{{hosts: hosts[:2]}, {hosts: hosts[1:]}}, true},
		{[]fleet{{hosts: hosts, mixed: true}}, false},
	} {
		all := examineReplicas(t.Context(), Options{Admin: "http://127.0.0.1:9901", Timeout: 5 * time.Second}, c.fleets)
		text := fmt.Sprint(all)
		if strings.Contains(text, "different models") != c.differ || !strings.Contains(text, "3 of 3 answer") {
			t.Errorf("%+v: %s", c.fleets, text)
		}
	}
}

// Lists of models that the module asks for and does not get are said.
func TestHiddenLists(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" { // vllm serve --api-key
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, "vllm:num_requests_running{engine=\"0\"} 0\n")
	}))
	t.Cleanup(s.Close)
	for _, asks := range []bool{true, false} {
		f := fleet{hosts: []string{strings.TrimPrefix(s.URL, "http://")}, path: "/metrics", mixed: asks}
		all := examineReplicas(t.Context(), Options{Admin: "http://127.0.0.1:9901", Timeout: 5 * time.Second}, []fleet{f})
		if said := finding.Worst(all) == finding.Weak && strings.Contains(all[0].What, "/v1/models: status 401 Unauthorized. They are taken"); said != asks || !strings.Contains(fmt.Sprint(all), "1 of 1 answer") {
			t.Errorf("%v: %+v", asks, all)
		}
	}
}

// A server that answers is asked where the module asks it, and one whose metrics cannot be read is not called one that cannot be reached.
func TestReplicasWithoutMetrics(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/prometheus":
			fmt.Fprint(w, "vllm:num_requests_running{engine=\"0\"} 0\n")
		case "/llamacpp":
			fmt.Fprint(w, "llamacpp:requests_processing 1\n")
		case "/login":
			fmt.Fprint(w, "<html>login</html>")
		case "/key":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	for path, want := range map[string]string{"/prometheus": "", "": "", "/metrics": "/metrics: status 404", "/key": "/key: status 401",
		"/login": "/login: line 1", "/llamacpp": "/llamacpp has no metric of vLLM, SGLang or TGI"} {
		f := fleet{hosts: []string{strings.TrimPrefix(s.URL, "http://")}, path: path}
		text := fmt.Sprint(examineReplicas(t.Context(), Options{Admin: "http://127.0.0.1:9901", Timeout: 5 * time.Second}, []fleet{f}))
		if !strings.Contains(text, "1 of 1 answer") || strings.Contains(text, "cannot be asked") || !strings.Contains(text, want) || strings.Contains(text, "cannot be read") != (want != "") {
			t.Errorf("%q: %s, want %q", path, text, want)
		}
	}
}

// The replicas of a pool are the hosts that Envoy has of its cluster, also of one that a pattern fits.
func TestFleets(t *testing.T) {
	setup := &manifest.Setup{
		Envoy: true,
		Filters: []manifest.Filter{{JSON: []byte(`{"pools": [{"name": "a-*", "match": {"cluster": "orch*"}, "scrape": {"models": "/v1/models"}},
			{"name": "rest", "endpoints": ["[::1]:80"], "data_parallel_ranks": 4, "tools_first": true}]}`)}},
		Routes: []map[string]any{{"route": map[string]any{"cluster": "orchard"}}},
	}
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"cluster_statuses":[{"name":"orchard","host_statuses":[{"address":{"socket_address":{"address":"::1","port_value":81}}},
			{"address":{"envoy_internal_address":{"server_listener_name":"connect_originate","endpoint_id":"10.0.0.1:83"}}},
			{"address":{"envoy_internal_address":{"server_listener_name":"main"}}}]},
			{"name":"admin","host_statuses":[{"address":{"socket_address":{"address":"127.0.0.1","port_value":82}}}]}]}`)
	}))
	t.Cleanup(admin.Close)
	got, err := fleets(t.Context(), Options{Admin: admin.URL, Timeout: 5 * time.Second}, setup)
	if want := "[{[[::1]:81 10.0.0.1:83] true 0 true true false /metrics} {[[::1]:80] false 4 false true true }]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v, want %s", err, got, want)
	}
}

// Replicas that have no model in common answer each other's requests with 404; adapters may be loaded at some alone.
func TestStrangers(t *testing.T) {
	for _, c := range []struct {
		models []string
		want   finding.Level
	}{{[]string{"a", "b"}, finding.Broken}, {[]string{"a", "a+lora", "b+c"}, finding.Broken}, {[]string{"a", "a+lora"}, finding.Weak}} {
		var all []replica
		var f fleet
		for i, models := range c.models {
			address := fmt.Sprintf("10.0.0.%d:8000", i)
			all, f.hosts = append(all, replica{address: address, models: models}), append(f.hosts, address)
		}
		if got := compare(all, f); len(got) != 1 || got[0].Level != c.want || !strings.Contains(got[0].What, "different models") {
			t.Errorf("%v: %+v", c.models, got)
		}
	}
}
