package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/finding"
)

// read is the text of a file of the project.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile("../../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// admin serves an Envoy's admin interface, as of the example, and its replicas.
func admin(t *testing.T, stats string, replicas map[string]string) *httptest.Server {
	t.Helper()
	var endpoints, hosts []string
	for _, metrics := range replicas {
		r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			switch q.URL.Path {
			case "/metrics":
				fmt.Fprint(w, metrics)
			case "/version":
				fmt.Fprintf(w, `{"version":"0.%d.0"}`, len(metrics))
			default:
				http.NotFound(w, q)
			}
		}))
		t.Cleanup(r.Close)
		address := strings.TrimPrefix(r.URL, "http://")
		endpoints = append(endpoints, address)
		host, port, _ := strings.Cut(address, ":")
		hosts = append(hosts, fmt.Sprintf(`{"endpoint":{"address":{"socket_address":{"address":%q,"port_value":%s}}}}`, host, port))
	}
	dump := fmt.Sprintf(`{"configs":[{"@type":"type.googleapis.com/envoy.admin.v3.BootstrapConfigDump","bootstrap":{"static_resources":{"clusters":[
		{"name":"vllm","type":"STATIC","connect_timeout":"1s","load_assignment":{"endpoints":[{"lb_endpoints":[%s]}]}}]}}},
		{"filter":{"@type":"type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm","config":{"name":"warmroute","configuration":
		{"@type":"type.googleapis.com/google.protobuf.StringValue","value":"{\"endpoints\":[\"%s\"],\"scrape\":{\"cluster\":\"vllm\"}}"}}}}]}`,
		strings.Join(hosts, ","), strings.Join(endpoints, `\",\"`))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/config_dump":
			fmt.Fprint(w, dump)
		case "/server_info":
			fmt.Fprint(w, `{"version":"abc/1.34.1/Clean/RELEASE/BoringSSL"}`)
		case "/stats/prometheus":
			fmt.Fprint(w, stats)
		case "/clusters":
			fmt.Fprint(w, `{"cluster_statuses":[]}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestExamine(t *testing.T) {
	const now = 1_800_000_000
	stats := fmt.Sprintf(`# TYPE warmroute_endpoints gauge
warmroute_endpoints{} 2
warmroute_requests_total{reason="match",endpoint="a:1"} 90
warmroute_passed_total{reason="stalled"} 3
warmroute_prompt_tokens_total{endpoint="a:1"} 5000
warmroute_cached_tokens_total{endpoint="a:1"} 0
warmroute_expected_cached_tokens_total{endpoint="a:1"} 3000
warmroute_last_scrape_timestamp_seconds{endpoint="a:1"} %d
warmroute_scrape_errors_total{endpoint="b:1"} 7
`, now-90)
	s := admin(t, stats, map[string]string{
		"a": `vllm:cache_config_info{block_size="16",enable_prefix_caching="True"} 1` + "\n",
		"b": `vllm:cache_config_info{block_size="32",enable_prefix_caching="False"} 1` + "\n",
	})
	all, err := Examine(t.Context(), Options{Admin: s.URL, Replicas: true, Timeout: 5 * time.Second, Now: func() time.Time { return time.Unix(now, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v", all)
	for _, part := range []string{
		"never shows a held request its body", "Envoy 1.34.1 does not know allow_on_headers_stop_iteration", "3 requests waited decide_timeout",
		"last read 90 s ago", "7 readings have failed", "no cached token where hits were expected", "prefix caching is off", "different block sizes: 16 at",
		"different versions of vLLM", "2 of 2 answer", "lacks the override_host policy",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no finding %q in\n%s", part, text)
		}
	}
	if all[0].Level != finding.Broken || all[len(all)-1].Level != finding.Fine {
		t.Errorf("the order is %+v", all)
	}
	if _, err := Examine(t.Context(), Options{Admin: "http://127.0.0.1:1", Timeout: time.Second, Now: time.Now}); err == nil {
		t.Error("an interface that is not there has no findings")
	}
	for page, broken := range map[string]bool{ // the first request came before the list of endpoints
		"warmroute_passed_total{reason=\"no_endpoints\"} 1\n":                                                                        true,
		"warmroute_passed_total{reason=\"no_endpoints\"} 9\nwarmroute_requests_total{reason=\"match\"} 5\nwarmroute_endpoints{} 0\n": true,
		"warmroute_passed_total{reason=\"no_endpoints\"} 1\nwarmroute_requests_total{reason=\"match\"} 5\n":                          false,
	} {
		s := admin(t, "warmroute_removed_headers_total{} 0\n"+page, map[string]string{"a": "up 1\n"})
		all, err := Examine(t.Context(), Options{Admin: s.URL, Timeout: 5 * time.Second, Now: time.Now})
		if text := fmt.Sprint(all); err != nil || strings.Contains(text, "knows no endpoint") != broken {
			t.Errorf("%s: %v, %s", page, err, text)
		}
	}
	first := true // the page of the first second does not have the requests yet
	young := admin(t, "", nil)
	behind := young.Config.Handler
	young.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stats/prometheus" {
			behind.ServeHTTP(w, r)
			return
		}
		fmt.Fprint(w, "warmroute_removed_headers_total{} 0\nwarmroute_passed_total{reason=\"no_endpoints\"} 1\n")
		if !first {
			fmt.Fprint(w, "warmroute_requests_total{reason=\"match\"} 5\n")
		}
		first = false
	})
	if all, err := Examine(t.Context(), Options{Admin: young.URL, Timeout: 5 * time.Second, Now: time.Now}); err != nil || strings.Contains(fmt.Sprint(all), "knows no endpoint") || first {
		t.Errorf("%v %+v", err, all)
	}
	none := admin(t, "envoy_cluster_x 1\n", map[string]string{"a": "up 1\n"})
	if all, err := Examine(t.Context(), Options{Admin: none.URL, Timeout: 5 * time.Second, Now: time.Now}); err != nil || !strings.Contains(fmt.Sprint(all), "it is not loaded") {
		t.Errorf("%v %+v", err, all)
	}
}
