package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
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
		worst      finding.Level
		what       string // of one finding
		n          int    // of the worst level; 0: of any
	}{
		{"header", header, finding.Weak, "clients steer themselves by x-data-parallel-rank while the module does not run", 1},
		{"header removed", strings.Replace(header, "mutations: [{ remove: ", "mutations: [{ remove: x-data-parallel-rank }, { remove: ", 1), finding.Fine, "3 endpoints, each of 8 data-parallel ranks", 0},
		{"another port", strings.Replace(header, `"127.0.0.1:8003"`, `"127.0.0.1:9003"`, 1), finding.Broken, "does not have the endpoint 127.0.0.1:9003: override_host skips it", 1},
		{"no cluster", strings.Replace(inFilter("cluster", `"endpoints": [`, `"data_parallel_ranks": 8, "endpoints": [`), `"cluster": "vllm-1"`, `"cluster": "vllm-9"`, 1), finding.Broken, "endpoint 127.0.0.1:8002 names the cluster vllm-9", 1},
		{"property", property, finding.Fine, "3 endpoints, each of 8", 0},
		{"property that nothing reads", strings.Replace(property, manifest.RankState, "wasm.other", 1), finding.Broken, "no filter makes the rank the header x-data-parallel-rank", 1},
		{"the same without ranks", strings.Replace(example(t, "property"), manifest.RankState, "wasm.other", 1), finding.Fine, "", 0},
		{"Istio", istio, finding.Fine, "each of 8 data-parallel ranks", 0},
		{"Istio without the header", strings.Replace(istio, manifest.RankState, "wasm.other", 1), finding.Broken, "no filter makes the rank the header x-data-parallel-rank", 1},
		{"a gate that does not know", gateway, finding.Weak, "clients name their own rank by x-data-parallel-rank", 1},
		{"a gate that does", strings.Replace(gateway, "role: gate\n", "role: gate\n      data_parallel_ranks: 8\n", 1), finding.Fine, "each of 8 data-parallel ranks", 0},
		{"alone", `{"policy":"cache_aware","endpoints":["10.0.0.1:80"],"data_parallel_ranks":2,"steer":{"via":"property"}}`, finding.Fine, "", 0},
	} {
		documents, err := tree.Documents([]byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		setup := manifest.Collect(documents)
		if len(setup.Filters) == 0 {
			setup.Filters = []manifest.Filter{{Where: "configuration", JSON: []byte(c.text)}}
		}
		all := Judge(setup)
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
		if finding.Worst(all) != c.worst || !found || c.n != 0 && n != c.n {
			t.Errorf("%s: no finding %q, or more than %d that are %v: %+v", c.name, c.what, c.n, c.worst, all)
		}
	}
}
