package main

import (
	"encoding/json"
	"strings"
	"testing"

	"warmroute/hostsim/internal/console"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     int
		want       string
	}{
		{"our JSON", `{"$schema": "plugin/config/schema.json", "endpoints": ["10.0.0.1:80"]}`, 0, "ok      standard input: configuration: the configuration is taken: policy cache_aware, 1 endpoint\n"},
		{"our JSON, wrong", "{\n \"endpoints\": [\"10.0.0.1:80\"],\n \"index_bytes\": -1\n}", 1, "refused, in its line 3: index_bytes: -1 is below the minimum 0"},
		{"our JSON, broken", "{\n \"endpoints\": [}", 1, "line 2"},
		{"our YAML", "endpoints: [10.0.0.1:80]\npolicy: random\n", 0, "policy random"},
		{"a WasmPlugin", "kind: WasmPlugin\nmetadata: {name: warmroute}\nspec: {pluginConfig: {endpoints: []}}\n", 1, "WasmPlugin warmroute: the configuration is refused: endpoints"},
		{"our JSON, with comments", "// replicas\n{\"endpoints\": [\"10.0.0.1:80\"]} // two: b\n", 1, "JSON has no comments"},
		{"an Envoy without the module", "admin: {}\ndynamic_resources: {}\n", 1, "broken  standard input: no module of warmroute is in it\n        → hostsim check LISTENERS CLUSTERS"},
		{"another resource", "kind: Service\n", 1, ""},
		{"an EnvoyFilter alone", "kind: EnvoyFilter\nmetadata: {name: steer}\nspec: {configPatches: [{applyTo: CLUSTER, patch: {operation: MERGE, value: {}}}]}\n", 1, "→ hostsim check FILE standard input"},
		{"nothing", "", 1, "broken  standard input: it is empty"},
	} {
		status, out, errs := hostsim(c.text, "check", "-")
		if status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("%s: status %d\n%s%s", c.name, status, out, errs)
		}
	}
	_, faults, _ := hostsim(`{"endpoint": ["10.0.0.1:80"], "policy": "prefix-hash", "index_bytes": -1}`, "check", "-")
	for _, want := range []string{"did you mean endpoints?", "did you mean prefix_hash?", "index_bytes: -1 is below"} {
		if !strings.Contains(faults, want) || strings.Count(faults, "broken") != 3 || strings.Count(faults, "README.md has all fields") != 1 {
			t.Errorf("all three faults are wanted, with %q:\n%s", want, faults)
		}
	}
	_, out, _ := hostsim(`{"endpoints": ["10.0.0.1:80"]}`, "check", "--json", "-", "-")
	var all struct {
		Findings []struct{ Level, What string }
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Findings) != 1 || all.Findings[0].Level != "ok" {
		t.Errorf("%v: %s", err, out)
	}
	status, out, errs := hostsim("", "check", "no-such-file", "../examples/envoy-gateway/gateway.yaml", "../examples/envoy/endpoint.yaml")
	for _, part := range []string{"broken  no-such-file: ", "ok      ../examples/envoy-gateway/gateway.yaml: no module", "endpoint.yaml: filter warmroute: the configuration is taken"} {
		if status != 1 || !strings.Contains(out, part) {
			t.Errorf("status %d, %s: it lacks %q:\n%s", status, errs, part, out)
		}
	}
	if status, _, errs := hostsim("", "check", "../examples/envoy/endpoint.yaml"); status != 0 {
		t.Errorf("status %d: %s", status, errs)
	}
	if status, _, errs := hostsim("", "doctor", "--admin", "http://127.0.0.1:1"); status != 1 || !strings.Contains(errs, "connect") || !strings.Contains(errs, "admin interface") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestVersion(t *testing.T) {
	status, out, _ := hostsim("", "version", "--json", "--wasm", builtModule)
	var v console.Versions
	if err := json.Unmarshal([]byte(out), &v); status != 0 || err != nil || v.Go == "" || v.Version == "" {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
}

// Of an Envoy's bootstrap the last line names the command that checks the rest; of other configurations none does.
func TestEnvoyChecksTheRest(t *testing.T) {
	const file, rest = "../examples/envoy/endpoint.yaml", "Envoy itself checks the rest\n        → envoy --mode validate -c "
	if status, out, _ := hostsim("", "check", file); status != 0 || !strings.HasSuffix(out, rest+file+"\n") {
		t.Errorf("status %d, %s", status, out)
	}
	if _, out, _ := hostsim(`{"static_resources": {}}`, "check", "-"); strings.Contains(out, rest) {
		t.Errorf("without a module: %s", out)
	}
	if _, out, _ := hostsim("endpoints: [10.0.0.1:80]\n", "check", "-"); strings.Contains(out, rest) {
		t.Errorf("of our own: %s", out)
	}
}
