package checks

import (
	"strconv"
	"testing"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
)

// discovered judges a configuration as judge does, and once more with each module given by ECDS, as a running gateway of Istio's shows it. The
// findings must be the same.
func discovered(t *testing.T, text string) []finding.Finding {
	t.Helper()
	documents, err := tree.Documents([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var filters []any
	taken := map[string]bool{}
	for _, d := range documents {
		tree.Walk(d, "", func(_ string, m map[string]any) bool {
			for _, f := range tree.Items(m, "http_filters") {
				filter := f.(map[string]any)
				if typed, _ := filter["typed_config"].(map[string]any); tree.Typed(typed, "filters.http.wasm.v3.Wasm") {
					name := tree.Str(f, "name") // routes may say it, too
					if taken[name] {
						name += strconv.Itoa(len(filters))
					}
					taken[name] = true
					filters = append(filters, map[string]any{"version_info": "1", "ecds_filter": map[string]any{
						"@type": "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig", "name": name, "typed_config": typed}})
					filter["name"], filter["config_discovery"] = name, map[string]any{"type_urls": []any{typed["@type"]}}
					delete(filter, "typed_config")
				}
			}
			return true
		})
	}
	if len(filters) == 0 {
		t.Fatal("no module")
	}
	all := Judge(manifest.Collect(append(documents, map[string]any{"@type": "type.googleapis.com/envoy.admin.v3.EcdsConfigDump", "ecds_filters": filters})))
	here := judge(t, text)
	if finding.Worst(all) != finding.Worst(here) || len(all) != len(here) {
		t.Errorf("given by ECDS %d findings: %+v\nin place %d: %+v", len(all), all, len(here), here)
	}
	return all
}
