package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const root = "../../../"

func example(t *testing.T, name string) string {
	t.Helper()
	return read(t, root+"examples/envoy/"+name+".yaml")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func judge(t *testing.T, text string) []Finding {
	t.Helper()
	documents, err := Documents([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Collect(documents).Check()
}

// What we ship has nothing wrong.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob(root + "examples/envoy/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	more, _ := filepath.Glob(root + "istio/*/wasmplugin.yaml")
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filter, err := os.ReadFile(filepath.Join(filepath.Dir(file), "envoyfilter.yaml")); err == nil {
			text = []byte(string(text) + "\n---\n" + string(filter))
		}
		all := judge(t, strings.ReplaceAll(string(text), placeholder, "ghcr.io/me/"))
		if len(all) == 0 || Worst(all) != Fine {
			t.Errorf("%s: %+v", file, all)
		}
	}
}

// Each thing that can be left out or written wrongly is found, and what is said to cure it names it.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		example, old, new string
		level             Level
		what, cure        string
	}{
		{"endpoint", "allow_on_headers_stop_iteration: true", "", Broken, "never shows a held request its body", "allow_on_headers_stop_iteration: true"},
		{"endpoint", "failure_policy: FAIL_RELOAD", "failure_policy: FAIL_CLOSED", Weak, "failure_policy is FAIL_CLOSED", "FAIL_RELOAD"},
		{"endpoint", "failure_policy: FAIL_RELOAD", "fail_open: true", Weak, "failure_policy is FAIL_OPEN", "FAIL_RELOAD"},
		{"endpoint", "failure_policy: FAIL_RELOAD", "failure_policy: FAIL_OPEN", Weak, "failure_policy is FAIL_OPEN", "FAIL_RELOAD"},
		{"endpoint", `"policy": "cache_aware"`, `"polcy": "cache_aware"`, Broken, "did you mean policy?", "README"},
		{"endpoint", "type.googleapis.com/google.protobuf.StringValue", "type.googleapis.com/google.protobuf.Struct", Broken, "Struct, which Envoy hands over in binary form", "StringValue"},
		{"endpoint", "request_body_buffer_limit: 4194304", "", Weak, "answered 413", "request_body_buffer_limit: 4194304"},
		{"endpoint", "- header: x-gateway-destination-endpoint", "- header: x-other", Broken, "lacks the override_host policy", "x-gateway-destination-endpoint"},
		{"endpoint", "mutations: [{ remove: x-gateway-destination-endpoint }]", "mutations: []", Weak, "clients steer themselves", "remove: x-gateway-destination-endpoint"},
		{"endpoint", "  - { tag_name: reason, ", "  - { tag_name: other, ", Weak, "have no label reason", "tag_name: reason"},
		{"endpoint", "timeout: 0s #", "# ", Weak, "15 s by default", "timeout: 0s"},
		{"endpoint", "use_remote_address: true", "", Weak, "clients name their own address", "use_remote_address: true"},
		{"endpoint", "num_retries: 2", "num_retries: 2\n                    per_try_timeout: 5s", Weak, "per_try_timeout 5s makes a slow replica a failure", "no per_try_timeout"},
		{"endpoint", "timeout: 0s #", "timeout: 0s\n                  idle_timeout: 20s #", Weak, "idle_timeout 20s", "idle_timeout: 300s"},
		{"endpoint", "stream_idle_timeout: 300s", "stream_idle_timeout: 150s", Weak, "stream_idle_timeout 150s ends requests that wait for their first token, at the gateway up to 2m0s", "stream_idle_timeout: 300s"},
		{"endpoint", "stream_idle_timeout: 300s", "stream_idle_timeout: 10s", Weak, "stream_idle_timeout 10s", "stream_idle_timeout: 300s"},
		{"property", "envoy.extensions.filters.http.buffer.v3.Buffer", "envoy.extensions.filters.http.other.v3.Other", Broken, "no buffer filter holds requests", "property.yaml"},
		{"property", "request_body_buffer_limit: 4194304", "request_body_buffer_limit: 2097152", Weak, "bodies above 2048 KiB are answered 413", "request_body_buffer_limit: 4194304"},
		{"property", "max_request_bytes: 4194304", "max_request_bytes: 1048576", Fine, "bodies above 1024 KiB are answered 413", ""},
		{"endpoint", "max_retries: 1024", "max_retries: 3", Weak, "three retries", "max_retries: 1024"},
		{"endpoint", "retry_on: connect-failure,refused-stream,reset-before-request,reset,gateway-error", "retry_on: x", Fine, "", ""},
		{"endpoint", "%FILTER_STATE(wasm.warmroute:PLAIN)%", "", Weak, "access log has no decisions", "wasm.warmroute"},
		{"endpoint", `"127.0.0.1:8003"`, `"127.0.0.1:9003"`, Broken, "does not have the endpoint 127.0.0.1:9003", "the same ip:port"},
		{"endpoint", `"scrape": {"cluster": "vllm"},`, `"scrape": {"cluster": "other"},`, Broken, "there is no cluster other", "other"},
		{"endpoint", `"scrape": {"cluster": "vllm"},`, "", Weak, "metrics are not read", `"scrape"`},
		{"endpoint", `"policy": "cache_aware"`, `"record": true`, Weak, "no access log has the records", "wasm.warmroute_record"},
		{"cluster", `"cluster": "vllm-1"`, `"cluster": "vllm-9"`, Broken, "the cluster vllm-9, which there is not", "vllm-9"},
		{"cluster", "cluster_header: x-warmroute-cluster", "cluster: vllm-1", Broken, "no route takes the cluster that the header x-warmroute-cluster names", "cluster_header: x-warmroute-cluster"},
		{"pools", "cluster_header: x-warmroute-cluster", "cluster: orchard", Broken, "no route takes the cluster that the header x-warmroute-cluster names", "cluster_header: x-warmroute-cluster"},
		{"pools", ", { remove: x-warmroute-cluster }", "", Weak, "clients steer themselves by x-warmroute-cluster", "remove: x-warmroute-cluster"},
		{"property", "wasm.warmroute_endpoint", "wasm.other", Broken, "steer.via is property, and no filter", "header_mutation"},
		{"hash", "header_name: x-warmroute-key", "header_name: x-other", Broken, "no route hashes by the header x-warmroute-key", "hash_policy"},
	} {
		text := example(t, c.example)
		if !strings.Contains(text, c.old) {
			t.Errorf("%s has no %q", c.example, c.old)
			continue
		}
		all := judge(t, strings.Replace(text, c.old, c.new, 1))
		if c.what == "" {
			continue
		}
		found := false
		for _, f := range all {
			found = found || f.Level == c.level && strings.Contains(f.What, c.what) && strings.Contains(f.Cure, c.cure)
		}
		if !found {
			t.Errorf("%s without %q: no finding %q; but %+v", c.example, c.old, c.what, all)
		}
	}
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
	if all[0].Level != Broken || all[len(all)-1].Level != Fine {
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

func TestReadPage(t *testing.T) {
	page, err := readPage([]byte("# HELP a b\na{x=\"1\\\"}\\n\",y=\"2\"} 3 1234\na 4\nb{} 5e-1\n"))
	if err != nil || page.sum("a", "", "") != 7 || page.sum("a", "y", "2") != 3 || page.sum("b", "", "") != 0.5 || page["a"][0].labels["x"] != "1\"}\n" {
		t.Errorf("%+v, %v", page, err)
	}
	for _, bad := range []string{"a", "a b", "a{x} 1", "a{x=\"1} 1", "{} 1"} {
		if _, err := readPage([]byte(bad + "\n")); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	files, _ := filepath.Glob(root + "examples/envoy/*.yaml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		documents, err := Documents(text)
		if err != nil {
			return
		}
		for _, finding := range Collect(documents).Check() {
			if finding.What == "" || finding.Level != Fine && finding.Cure == "" {
				t.Errorf("%+v", finding)
			}
		}
	})
}

// Envoy Gateway's example is taken, with its gate; without, the choice would reach nobody.
func TestGateOfEnvoyGateway(t *testing.T) {
	text, err := os.ReadFile("../../../examples/envoy-gateway/warmroute.yaml")
	if err != nil {
		t.Fatal(err)
	}
	worst := func(text string) (broken []string, filters int) {
		documents, err := Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		setup := Collect(documents)
		for _, f := range setup.Check() {
			if f.Level == Broken {
				broken = append(broken, f.What)
			}
		}
		return broken, len(setup.Filters)
	}
	if broken, filters := worst(string(text)); len(broken) > 0 || filters != 2 {
		t.Errorf("as shipped: %d filters, %q", filters, broken)
	}
	gate := strings.Index(string(text), "  - name: gate\n")
	without := string(text[:gate]) + string(text[gate+strings.Index(string(text[gate:]), "---\n"):])
	if broken, filters := worst(without); len(broken) != 1 || !strings.Contains(broken[0], "x-gateway-destination-endpoint") || filters != 1 {
		t.Errorf("without the gate: %d filters, %q; want that nothing makes the header", filters, broken)
	}
}
