package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What is said of a configuration with data-parallel ranks: servers are in Envoy by their addresses, once each.
func TestRanks(t *testing.T) {
	inFilter := func(file, old, new string) string {
		text := example(t, file)
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %q", file, old)
		}
		return strings.Replace(text, old, new, 1)
	}
	const policy, ranked = `"policy": "cache_aware"`, `"policy": "cache_aware", "data_parallel_ranks": 8`
	header := inFilter("endpoint", policy, ranked)
	property := inFilter("property", policy, ranked)
	istio := strings.ReplaceAll(read(t, root+"istio/wasmplugin/wasmplugin.yaml"), placeholder, "ghcr.io/me/") + "\n---\n" + read(t, root+"istio/wasmplugin/envoyfilter.yaml")
	istio = strings.Replace(istio, "policy: cache_aware\n", "policy: cache_aware\n    data_parallel_ranks: 8\n", 1)
	gateway := strings.ReplaceAll(read(t, root+"examples/envoy-gateway/warmroute.yaml"), placeholder, "ghcr.io/me/")
	gateway = strings.Replace(gateway, "policy: cache_aware\n", "policy: cache_aware\n      data_parallel_ranks: 8\n", 1)
	for _, c := range []struct {
		name, text string
		worst      Level
		what       string // of one finding
		n          int    // of the worst level; 0: of any
	}{
		{"header", header, Weak, "clients steer themselves by x-data-parallel-rank while the module does not run", 1},
		{"header removed", strings.Replace(header, "mutations: [{ remove: ", "mutations: [{ remove: x-data-parallel-rank }, { remove: ", 1), Fine, "3 endpoints, each of 8 data-parallel ranks", 0},
		{"another port", strings.Replace(header, `"127.0.0.1:8003"`, `"127.0.0.1:9003"`, 1), Broken, "does not have the endpoint 127.0.0.1:9003: override_host skips it", 1},
		{"no cluster", strings.Replace(inFilter("cluster", `"endpoints": [`, `"data_parallel_ranks": 8, "endpoints": [`), `"cluster": "vllm-1"`, `"cluster": "vllm-9"`, 1), Broken, "endpoint 127.0.0.1:8002 names the cluster vllm-9", 1},
		{"property", property, Fine, "3 endpoints, each of 8", 0},
		{"property that nothing reads", strings.Replace(property, rankState, "wasm.other", 1), Broken, "no filter makes the rank the header x-data-parallel-rank", 1},
		{"the same without ranks", strings.Replace(example(t, "property"), rankState, "wasm.other", 1), Fine, "", 0},
		{"Istio", istio, Fine, "each of 8 data-parallel ranks", 0},
		{"Istio without the header", strings.Replace(istio, rankState, "wasm.other", 1), Broken, "no filter makes the rank the header x-data-parallel-rank", 1},
		{"a gate that does not know", gateway, Weak, "clients name their own rank by x-data-parallel-rank", 1},
		{"a gate that does", strings.Replace(gateway, "role: gate\n", "role: gate\n      data_parallel_ranks: 8\n", 1), Fine, "each of 8 data-parallel ranks", 0},
		{"alone", `{"policy":"cache_aware","endpoints":["10.0.0.1:80"],"data_parallel_ranks":2,"steer":{"via":"property"}}`, Fine, "", 0},
	} {
		documents, err := Documents([]byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		setup := Collect(documents)
		if len(setup.Filters) == 0 {
			setup.Filters = []Filter{{Where: "configuration", JSON: []byte(c.text)}}
		}
		all := setup.Check()
		n, found := 0, c.what == ""
		for _, f := range all {
			found = found || strings.Contains(f.What, c.what) && (c.n == 0 || f.Level == c.worst)
			if f.Level == c.worst {
				n++
			}
			if strings.Contains(f.What, "#") {
				t.Errorf("%s: a rank is taken for an address: %+v", c.name, f)
			}
		}
		if Worst(all) != c.worst || !found || c.n != 0 && n != c.n {
			t.Errorf("%s: no finding %q, or more than %d that are %v: %+v", c.name, c.what, c.n, c.worst, all)
		}
	}
}

// What counters say of ranks is said of their server, whose page is one.
func TestRanksInCounters(t *testing.T) {
	page, err := readPage([]byte(`warmroute_last_scrape_timestamp_seconds{endpoint="10.0.0.1:80#0"} 900
warmroute_scrape_errors_total{endpoint="10.0.0.2:80#0"} 7
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:80#10",reason="refused"} 970
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:80#2",reason="refused"} 971
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:80#3",reason="silent"} 980
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.3:80",reason="failing"} 990
warmroute_answers_total{endpoint="10.0.0.1:80#1",outcome="refused"} 5
warmroute_answers_total{endpoint="10.0.0.1:80#2",outcome="refused"} 6
`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	text := fmt.Sprintf("%+v", append(append(ages(page, now), outages(page, now)...), endings(page)...))
	for _, want := range []string{
		"Where:endpoint 10.0.0.1:80 What:its metrics were last read 100 s ago", "curl http://10.0.0.1:80/metrics", "Where:endpoint 10.0.0.2:80 What:its metrics were never read",
		"Where:endpoint 10.0.0.1:80, ranks 2, 10 What:it has been down for 30 s: refused", "Where:endpoint 10.0.0.1:80#3 What:it has been down for 20 s: silent",
		"Where:endpoint 10.0.0.3:80 What:it has been down for 10 s: failing", "last tried at 10.0.0.1:80 (11) ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no finding %q in\n%s", want, text)
		}
	}
}

// Replicas are asked how many ranks they have: each server once, at its own address.
func TestRanksOfReplicas(t *testing.T) {
	vllm := func(engines int) (page string) {
		for i := range engines { // those of a node of several may begin elsewhere than at 0
			page += fmt.Sprintf("vllm:num_requests_running{engine=\"%d\",model_name=\"m\"} 0\nvllm:num_requests_waiting{engine=\"%[1]d\",model_name=\"m\"} 0\n", i+2)
		}
		return page
	}
	const sglang = `sglang:num_running_reqs{dp_rank="0",tp_rank="0"} 0
sglang:num_running_reqs{dp_rank="0",tp_rank="1"} 0
sglang:num_running_reqs{dp_rank="1",tp_rank="0"} 0
`
	for _, c := range []struct {
		page  string
		ranks int
		level Level
		want  string // "": nothing
		cure  string
	}{
		{vllm(1), 1, Fine, "", ""},
		{vllm(4), 4, Fine, "", ""},
		{vllm(4), 0, Fine, "", ""},
		{vllm(1), 0, Fine, "", ""},
		{"0.12.0 " + vllm(2), 0, Fine, "", ""},
		{"0.33.0 " + vllm(2), 0, Fine, "", ""},
		{"0.1.dev7 " + vllm(2), 0, Fine, "", ""},
		{"0.11.2 " + vllm(1), 0, Fine, "", ""},
		{"0.11.2 " + vllm(2), 0, Weak, "data-parallel ranks at %s by the metrics, and this vLLM does not obey x-data-parallel-rank", "data_parallel_ranks: 1"},
		{sglang, 0, Weak, "2 data-parallel ranks at %s by the metrics, and data_parallel_ranks is not set", "data_parallel_ranks: 2"},
		{"up 1\n", 4, Fine, "", ""},
		{read(t, root+"testdata/metrics/vllm_ranks_fresh.txt"), 2, Fine, "", ""}, // its gauges name the one rank that has had a request
		{"vllm:num_requests_running 3\n", 1, Fine, "", ""},
		{sglang, 2, Fine, "", ""},
		{vllm(4), 1, Weak, "4 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 1: each has a cache of its own", "data_parallel_ranks: 4; or vllm serve … --data-parallel-external-lb"},
		{sglang, 1, Weak, "2 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 1", "data_parallel_ranks: 2"},
		{vllm(8), 4, Weak, "8 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 4: the others get none", "data_parallel_ranks: 8"},
		{vllm(2), 4, Broken, "2 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 4: requests to a rank that is not there", "data_parallel_ranks: 2; or vllm serve … --data-parallel-size 4"},
		{"vllm:num_requests_running 3\n", 4, Broken, "1 data-parallel rank at %s by the metrics", "data_parallel_ranks: 1"},
	} {
		host := serveRanks(t, c.page)
		setup := &Setup{Filters: []Filter{{JSON: fmt.Appendf(nil, `{"endpoints":[%q],"data_parallel_ranks":%d,"scrape":{"cluster":"vllm"}}`, host, c.ranks)}}}
		admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"cluster_statuses":[]}`) }))
		o := Options{Admin: admin.URL, Timeout: 5 * time.Second}
		all, err := fleets(t.Context(), o, setup)
		admin.Close()
		if err != nil {
			t.Fatal(err)
		}
		found := examineReplicas(t.Context(), o, all)
		text := fmt.Sprintf("%+v", found)
		if !strings.Contains(text, "1 of 1 answer") || strings.Contains(text, "data_parallel_ranks") != (c.want != "") || Worst(found) != c.level {
			t.Errorf("%q, %d ranks: %s", c.page, c.ranks, text)
		}
		if c.want != "" && (!strings.Contains(text, fmt.Sprintf(c.want, host)) || !strings.Contains(text, c.cure)) {
			t.Errorf("%q, %d ranks: %s; want %q and %q", c.page, c.ranks, text, c.want, c.cure)
		}
	}
}

// Learned ranks need a filter that names them, where the choice is a property.
func TestLearnedRanksOfReplicas(t *testing.T) {
	for _, c := range []struct {
		from, to string
		level    Level
		want     string
	}{
		{"", "", Fine, ""},
		{rankState, "wasm.other", Broken, "steer.via is property, and no filter makes the rank the header x-data-parallel-rank"},
	} {
		host := serveRanks(t, "vllm:num_requests_running{engine=\"0\"} 1\nvllm:num_requests_running{engine=\"1\"} 1\n")
		text := strings.ReplaceAll(example(t, "property"), "127.0.0.1:8001", host)
		if c.from != "" {
			text = strings.ReplaceAll(text, c.from, c.to)
		}
		documents, err := Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		setup := Collect(documents)
		var all []fleet
		for _, p := range setup.steered(&setup.gateways()[0]) {
			all = append(all, fleet{[]string{host}, false, p.DataParallelRanks, p.LearnsRanks(), setup.carriesRank(&p)})
		}
		found := examineReplicas(t.Context(), Options{Timeout: 5 * time.Second}, all)
		if text := fmt.Sprintf("%+v", found); Worst(found) != c.level || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.to, text)
		}
	}
}

// serveRanks serves a page of metrics, and says where.
func serveRanks(t *testing.T, page string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch version, page := cutVersion(page); r.URL.Path {
		case "/version":
			fmt.Fprintf(w, `{"version":%q}`, version)
		case "/metrics":
			fmt.Fprint(w, page)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// cutVersion is the version that a page begins with, as "0.32.0 ", and the page behind it.
func cutVersion(page string) (version, rest string) {
	if before, after, ok := strings.Cut(page, " "); ok && before[0] >= '0' && before[0] <= '9' {
		return before, after
	}
	return "", page
}
