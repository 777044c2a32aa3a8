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
	"warmroute/hostsim/internal/tree"
)

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
		level finding.Level
		want  string // "": nothing
		cure  string
	}{
		{vllm(1), 1, finding.Fine, "", ""},
		{vllm(4), 4, finding.Fine, "", ""},
		{vllm(4), 0, finding.Fine, "", ""},
		{vllm(1), 0, finding.Fine, "", ""},
		{"0.12.0 " + vllm(2), 0, finding.Fine, "", ""},
		{"0.33.0 " + vllm(2), 0, finding.Fine, "", ""},
		{"0.1.dev7 " + vllm(2), 0, finding.Fine, "", ""},
		{"0.11.2 " + vllm(1), 0, finding.Fine, "", ""},
		{"0.11.2 " + vllm(2), 0, finding.Weak, "data-parallel ranks at %s by the metrics, and this vLLM does not obey x-data-parallel-rank", "data_parallel_ranks: 1"},
		{sglang, 0, finding.Weak, "2 data-parallel ranks at %s by the metrics, and data_parallel_ranks is not set", "data_parallel_ranks: 2"},
		{"vllm:kv_cache_usage_perc 0\n", 4, finding.Fine, "", ""},
		{read(t, "testdata/metrics/vllm_ranks_fresh.txt"), 2, finding.Fine, "", ""}, // its gauges name the one rank that has had a request
		{"vllm:num_requests_running 3\n", 1, finding.Fine, "", ""},
		{sglang, 2, finding.Fine, "", ""},
		{vllm(4), 1, finding.Weak, "4 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 1: each has a cache of its own", "data_parallel_ranks: 4; or vllm serve … --data-parallel-external-lb"},
		{sglang, 1, finding.Weak, "2 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 1", "data_parallel_ranks: 2"},
		{vllm(8), 4, finding.Weak, "8 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 4: the others get none", "data_parallel_ranks: 8"},
		{vllm(2), 4, finding.Broken, "2 data-parallel ranks at %s by the metrics, and data_parallel_ranks is 4: requests to a rank that is not there", "data_parallel_ranks: 2; or vllm serve … --data-parallel-size 4"},
		{"vllm:num_requests_running 3\n", 4, finding.Broken, "1 data-parallel rank at %s by the metrics", "data_parallel_ranks: 1"},
	} {
		host := serveRanks(t, c.page)
		setup := &manifest.Setup{Filters: []manifest.Filter{{JSON: fmt.Appendf(nil, `{"endpoints":[%q],"data_parallel_ranks":%d,"scrape":{"cluster":"vllm"}}`, host, c.ranks)}}}
		admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"cluster_statuses":[]}`) }))
		o := Options{Admin: admin.URL, Timeout: 5 * time.Second}
		all, err := fleets(t.Context(), o, setup)
		admin.Close()
		if err != nil {
			t.Fatal(err)
		}
		found := examineReplicas(t.Context(), o, all)
		text := fmt.Sprintf("%+v", found)
		if !strings.Contains(text, "1 of 1 answer") || strings.Contains(text, "data_parallel_ranks") != (c.want != "") || finding.Worst(found) != c.level {
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
		level    finding.Level
		want     string
	}{
		{"", "", finding.Fine, ""},
		{manifest.RankState, "wasm.other", finding.Broken, "steer.via is property, and no filter makes the rank the header x-data-parallel-rank"},
	} {
		host := serveRanks(t, "vllm:num_requests_running{engine=\"0\"} 1\nvllm:num_requests_running{engine=\"1\"} 1\n")
		text := strings.ReplaceAll(read(t, "examples/envoy/property.yaml"), "127.0.0.1:8001", host)
		if c.from != "" {
			text = strings.ReplaceAll(text, c.from, c.to)
		}
		documents, err := tree.Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		setup := manifest.Collect(documents)
		var all []fleet
		for _, p := range setup.Steered(&setup.Gateways()[0]) {
			all = append(all, fleet{[]string{host}, false, p.DataParallelRanks, p.LearnsRanks(), setup.CarriesRank(&p), p.ToolsFirst, p.Scrape.Path})
		}
		found := examineReplicas(t.Context(), Options{Timeout: 5 * time.Second}, all)
		if text := fmt.Sprintf("%+v", found); finding.Worst(found) != c.level || !strings.Contains(text, c.want) {
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
