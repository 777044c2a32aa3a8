package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
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

func judge(t *testing.T, text string) []finding.Finding {
	t.Helper()
	documents, err := tree.Documents([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Judge(manifest.Collect(documents))
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
		given := strings.ReplaceAll(string(text), placeholder, "ghcr.io/me/")
		all := judge(t, given)
		if strings.Contains(given, "http_filters:") {
			discovered(t, given)
		}
		if len(all) == 0 || finding.Worst(all) != finding.Fine {
			t.Errorf("%s: %+v", file, all)
		}
	}
}

// Each thing that can be left out or written wrongly is found, and what is said to cure it names it.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		example, old, new string
		level             finding.Level
		what, cure        string
	}{
		{"endpoint", "allow_on_headers_stop_iteration: true", "", finding.Broken, "never shows a held request its body", "allow_on_headers_stop_iteration: true"},
		{"endpoint", "failure_policy: FAIL_RELOAD", "failure_policy: FAIL_CLOSED", finding.Weak, "failure_policy is FAIL_CLOSED", "FAIL_RELOAD"},
		{"endpoint", "failure_policy: FAIL_RELOAD", "fail_open: true", finding.Weak, "failure_policy is FAIL_OPEN", "FAIL_RELOAD"},
		{"endpoint", "failure_policy: FAIL_RELOAD", "failure_policy: FAIL_OPEN", finding.Weak, "failure_policy is FAIL_OPEN", "FAIL_RELOAD"},
		{"endpoint", `"policy": "cache_aware"`, `"polcy": "cache_aware"`, finding.Broken, "did you mean policy?", "README"},
		{"endpoint", "type.googleapis.com/google.protobuf.StringValue", "type.googleapis.com/google.protobuf.Struct", finding.Broken, "Struct, which Envoy hands over in binary form", "StringValue"},
		{"endpoint", "request_body_buffer_limit: 4194304", "", finding.Weak, "answered 413", "request_body_buffer_limit: 4194304"},
		{"endpoint", "- header: x-gateway-destination-endpoint", "- header: x-other", finding.Broken, "lacks the override_host policy", "x-gateway-destination-endpoint"},
		{"endpoint", "mutations: [{ remove: x-gateway-destination-endpoint }]", "mutations: []", finding.Weak, "clients steer themselves", "remove: x-gateway-destination-endpoint"},
		{"endpoint", "  - { tag_name: reason, ", "  - { tag_name: other, ", finding.Weak, "have no label reason", "tag_name: reason"},
		{"endpoint", "timeout: 0s #", "# ", finding.Weak, "15 s by default", "timeout: 0s"},
		{"endpoint", "use_remote_address: true", "", finding.Weak, "clients name their own address", "use_remote_address: true"},
		{"endpoint", "num_retries: 2", "num_retries: 2\n                    per_try_timeout: 5s", finding.Weak, "per_try_timeout 5s makes a slow replica a failure", "no per_try_timeout"},
		{"endpoint", "timeout: 0s #", "timeout: 0s\n                  idle_timeout: 20s #", finding.Weak, "idle_timeout 20s", "idle_timeout: 300s"},
		{"endpoint", "stream_idle_timeout: 300s", "stream_idle_timeout: 150s", finding.Weak, "stream_idle_timeout 150s ends requests that wait for their first token, at the gateway up to 2m0s", "stream_idle_timeout: 300s"},
		{"endpoint", "stream_idle_timeout: 300s", "stream_idle_timeout: 10s", finding.Weak, "stream_idle_timeout 10s", "stream_idle_timeout: 300s"},
		{"property", "envoy.extensions.filters.http.buffer.v3.Buffer", "envoy.extensions.filters.http.other.v3.Other", finding.Broken, "no buffer filter holds requests", "property.yaml"},
		{"property", "request_body_buffer_limit: 4194304", "request_body_buffer_limit: 2097152", finding.Weak, "bodies above 2048 KiB are answered 413", "request_body_buffer_limit: 4194304"},
		{"property", "max_request_bytes: 4194304", "max_request_bytes: 1048576", finding.Fine, "bodies above 1024 KiB are answered 413", ""},
		{"endpoint", "max_retries: 1024", "max_retries: 3", finding.Weak, "three retries", "max_retries: 1024"},
		{"endpoint", "retry_on: connect-failure,refused-stream,reset-before-request,reset,gateway-error", "retry_on: x", finding.Fine, "", ""},
		{"endpoint", "%FILTER_STATE(wasm.warmroute:PLAIN)%", "", finding.Weak, "access log has no decisions", "wasm.warmroute"},
		{"endpoint", `"127.0.0.1:8003"`, `"127.0.0.1:9003"`, finding.Broken, "does not have the endpoint 127.0.0.1:9003", "the same ip:port"},
		{"endpoint", `"scrape": {"cluster": "vllm"},`, `"scrape": {"cluster": "other"},`, finding.Broken, "there is no cluster other", "other"},
		{"endpoint", `"scrape": {"cluster": "vllm"},`, "", finding.Weak, "metrics are not read", `"scrape"`},
		{"endpoint", `"policy": "cache_aware"`, `"record": true`, finding.Weak, "no access log has the records", "wasm.warmroute_record"},
		{"cluster", `"cluster": "vllm-1"`, `"cluster": "vllm-9"`, finding.Broken, "the cluster vllm-9, which there is not", "vllm-9"},
		{"cluster", "cluster_header: x-warmroute-cluster", "cluster: vllm-1", finding.Broken, "no route takes the cluster that the header x-warmroute-cluster names", "cluster_header: x-warmroute-cluster"},
		{"pools", "cluster_header: x-warmroute-cluster", "cluster: orchard", finding.Broken, "no route takes the cluster that the header x-warmroute-cluster names", "cluster_header: x-warmroute-cluster"},
		{"pools", "request_body_buffer_limit: 4194304", "request_body_buffer_limit: 3145728", finding.Weak, "answered 413", "request_body_buffer_limit: 4194304"},
		{"pools", "", "", finding.Fine, "of a body above 4096 KiB the model counts only if it is in the first 3072 KiB", ""},
		{"pools", `"pools": [`, `"scan_bytes": 2097152, "pools": [`, finding.Fine, "of a body above 3072 KiB the model counts only if it is in the first 2048 KiB", ""},
		{"pools", ", { remove: x-warmroute-cluster }", "", finding.Weak, "clients steer themselves by x-warmroute-cluster", "remove: x-warmroute-cluster"},
		{"property", "wasm.warmroute_endpoint", "wasm.other", finding.Broken, "steer.via is property, and no filter", "header_mutation"},
		{"hash", "header_name: x-warmroute-key", "header_name: x-other", finding.Broken, "no route hashes by the header x-warmroute-key", "hash_policy"},
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
		documents, err := tree.Documents(text)
		if err != nil {
			return
		}
		for _, f := range Judge(manifest.Collect(documents)) {
			if f.What == "" || f.Level != finding.Fine && f.Cure == "" {
				t.Errorf("%+v", f)
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
		documents, err := tree.Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		setup := manifest.Collect(documents)
		for _, f := range Judge(setup) {
			if f.Level == finding.Broken {
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
