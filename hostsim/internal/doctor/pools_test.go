package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// pooled is the example with several pools, with other pools.
func pooled(t *testing.T, pools string) string {
	t.Helper()
	text := example(t, "pools")
	from, to := strings.Index(text, `"pools": [`), strings.Index(text, "\n                    }\n")
	if from < 0 || to < from {
		t.Fatal("the example has no pools")
	}
	return text[:from] + `"pools": [` + pools + "]" + text[to:]
}

// A pattern stands for the clusters that routes lead to, and what is off is not judged.
func TestPatternsAndPoolsThatAreOff(t *testing.T) {
	const off = `{"name": "legacy", "match": {"cluster": "legacy"}, "off": true}`
	for _, c := range []struct {
		pools string
		worst Level
		what  string // of a finding that there must be; "": the first is that it is taken
	}{
		{`{"name": "a-*", "match": {"cluster": "orch*"}}, ` + off, Fine, ""},
		{`{"name": "a-*", "match": {"cluster": "adm*"}}`, Fine, ""}, // of the module alone: no route leads there
		{`{"name": "a-*", "match": {"cluster": "other*"}}`, Weak, "no cluster fits other*: the pool a-* gets no request"},
		{`{"name": "a", "match": {"cluster": "other"}}`, Broken, "there is no cluster other"},
	} {
		all := judge(t, pooled(t, c.pools))
		if Worst(all) != c.worst || !strings.Contains(fmt.Sprintf("%+v", all), c.what) {
			t.Errorf("%s: %+v, want %v, %q", c.pools, all, c.worst, c.what)
		}
	}
	text := pooled(t, `{"name": "a-*", "match": {"cluster": "orch*"}}`)
	all := judge(t, strings.Replace(text, "- header: x-gateway-destination-endpoint", "- header: x-other", 1))
	if !strings.Contains(fmt.Sprintf("%+v", all), "cluster orchard What:it lacks the override_host policy") {
		t.Errorf("the cluster of a pattern is not judged: %+v", all)
	}
	text = pooled(t, `{"name": "a-*", "match": {"cluster": "orch*"}, "off": true}, {"name": "b-*", "match": {"cluster": "or*"}}`)
	all = judge(t, strings.Replace(text, "- header: x-gateway-destination-endpoint", "- header: x-other", 1))
	if strings.Contains(fmt.Sprintf("%+v", all), "override_host") {
		t.Errorf("a cluster is judged by a pattern that comes behind the one that it fits first: %+v", all)
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

// The replicas of a pool are the hosts that Envoy has of its cluster, also of one that a pattern fits.
func TestFleets(t *testing.T) {
	documents, err := Documents([]byte(pooled(t, `{"name": "a-*", "match": {"cluster": "orch*"}, "scrape": {"models": "/v1/models"}}, {"name": "rest", "endpoints": ["[::1]:80"], "data_parallel_ranks": 4}`)))
	if err != nil {
		t.Fatal(err)
	}
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"cluster_statuses":[{"name":"orchard","host_statuses":[{"address":{"socket_address":{"address":"::1","port_value":81}}}]},
			{"name":"admin","host_statuses":[{"address":{"socket_address":{"address":"127.0.0.1","port_value":82}}}]}]}`)
	}))
	t.Cleanup(admin.Close)
	got, err := fleets(t.Context(), Options{Admin: admin.URL, Timeout: 5 * time.Second}, Collect(documents))
	if want := "[{[[::1]:81] true 0 true true} {[[::1]:80] false 4 false true}]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v, want %s", err, got, want)
	}
}
