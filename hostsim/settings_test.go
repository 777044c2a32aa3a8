package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	wasmPluginFile  = "../istio/wasmplugin/wasmplugin.yaml"
	envoyFilterFile = "../istio/wasmplugin/envoyfilter.yaml"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Files that are one gateway's are judged as one; a bootstrap stands alone.
func TestCheckTogether(t *testing.T) {
	text := func(file string, edits ...string) string {
		return write(t, filepath.Base(file), strings.NewReplacer(edits...).Replace(read(t, file)))
	}
	lds, cds := "../examples/envoy/xds/lds.yaml", "../examples/envoy/xds/cds.yaml"
	for name, c := range map[string]struct {
		files  []string
		status int
		want   string
	}{
		"a WasmPlugin with its EnvoyFilter": {[]string{wasmPluginFile, envoyFilterFile}, 0, "envoyfilter.yaml: no module of warmroute is in it: judged with the others"},
		"a patch for another Service":       {[]string{wasmPluginFile, text(envoyFilterFile, "vllm.default.svc", "llm.default.svc")}, 1, "matches service llm.default.svc.cluster.local, port 8000"},
		"a patch that reads another header": {[]string{wasmPluginFile, text(envoyFilterFile, "- header: x-gateway-destination-endpoint", "- header: x-other")}, 1, "reads the header x-other"},
		"patches for sidecars":              {[]string{wasmPluginFile, text(envoyFilterFile, "context: GATEWAY", "context: SIDECAR_OUTBOUND")}, 0, "weak    EnvoyFilter warmroute-steer: a patch is for the context SIDECAR_OUTBOUND"},
		"nothing makes the header":          {[]string{wasmPluginFile, text(envoyFilterFile, "wasm.warmroute_endpoint", "wasm.other")}, 1, "no EnvoyFilter makes it the header"},
		"other workloads":                   {[]string{wasmPluginFile, text(envoyFilterFile, "istio: ingressgateway", "istio: egressgateway")}, 0, "weak    " + wasmPluginFile + ": WasmPlugin warmroute: it is at the workloads {istio: ingressgateway}, and EnvoyFilter warmroute-steer at {istio: egressgateway}"},
		"listeners and clusters":            {[]string{lds, cds}, 0, "lds.yaml: filter warmroute: the configuration is taken"},
		"clusters that do not take it":      {[]string{lds, text(cds, "header: x-gateway-destination-endpoint", "header: x-other")}, 1, "broken  cluster vllm: it lacks the override_host policy"},
		"two bootstraps":                    {[]string{"../examples/envoy/endpoint.yaml", "../examples/envoy/hash.yaml"}, 0, "hash.yaml: filter warmroute: the configuration is taken"},
		"values of the chart":               {[]string{"../istio/chart/values.yaml"}, 1, "helm template istio/chart"},
	} {
		status, out, errs := hostsim("", append([]string{"check"}, c.files...)...)
		if status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("%s: status %d, %s, without %q:\n%s", name, status, errs, c.want, out)
		}
	}
}

// The settings of a gateway are replayed, and asked about, as they are deployed.
func TestSettings(t *testing.T) {
	plugin := func(edits ...string) string {
		return write(t, "p.yaml", strings.NewReplacer(edits...).Replace(read(t, wasmPluginFile)))
	}
	with := plugin("policy: cache_aware\n", "policy: cache_aware\n    data_parallel_ranks: 8\n    block_bytes: 512\n    cache_aware: {affinity: 2}\n")
	status, out, errs := replayed("--engine", "native", "--policies", "random,cache_aware", "--plugin", with)
	if status != 0 || !strings.Contains(errs, "replayed with its block_bytes, cache_aware; the simulator has its own discovery, steer, data_parallel_ranks, policy") || !strings.Contains(out, "random") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	for _, c := range []struct{ file, want string }{
		{plugin("policy: cache_aware\n", "policy: cache_awar\n"), "policy: \"cache_awar\""},
		{"../examples/envoy/xds/cds.yaml", "no module of warmroute is in it"},
		{write(t, "q.yaml", "a: b\n c: d\n"), "q.yaml: document 1: "},
		{write(t, "q.yaml", "kind: Service\n"), "no module of warmroute is in it"},
		{write(t, "q.yaml", read(t, wasmPluginFile)+"\n---\n"+read(t, wasmPluginFile)), "it has several modules: WasmPlugin warmroute, WasmPlugin warmroute; give one"},
	} {
		if status, _, errs := replayed("--engine", "native", "--policies", "random", "--plugin", c.file); status != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: status %d, %s", c.file, status, errs)
		}
	}
	const body = "../testdata/requests/chat-long-system.json"
	if status, out, errs := hostsim("", "request", "--engine", "native", "--config", "../examples/envoy/endpoint.yaml", "--body", body); status != 0 || !strings.Contains(out, "127.0.0.1:8001") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if status, _, errs := hostsim("", "request", "--engine", "native", "--config", wasmPluginFile, "--body", body); status != 1 || !strings.Contains(errs, "discovery: its endpoints are asked of a running Envoy") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// Files that an editor on Windows has saved are read, and one that is no object is refused in words.
func TestSettingsFromWindows(t *testing.T) {
	file := write(t, "bom.yaml", "\ufeffcache_aware:\r\n  affinity: 1\r\nendpoints: [\"10.0.0.1:8000\"]\r\n")
	if status, out, errs := hostsim("", "check", file); strings.Contains(out+errs, "no such field") {
		t.Errorf("check: status %d: %s%s", status, out, errs)
	}
	for text, want := range map[string]string{"- a\n": ": not an object", "5": ": not an object", read(t, file): ""} {
		file := write(t, "plugin.yaml", text)
		status, _, errs := hostsim("", "replay", "--engine", "native", "--trace", smallTrace, "--policies", "cache_aware", "--plugin", file)
		if (status == 0) != (want == "") || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d: %s", text, status, errs)
		}
	}
}
