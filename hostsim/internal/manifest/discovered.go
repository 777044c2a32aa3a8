package manifest

import "warmroute/hostsim/internal/tree"

// discovered puts filters that a control plane gives by name (ECDS, as Istio gives a WasmPlugin) where listeners name them, as if their
// configuration stood there: what stands around a filter is judged by its listener.
func discovered(documents []any) {
	configs := map[string]any{}
	each("", documents, func(_ string, m map[string]any) bool {
		if tree.Typed(m, "core.v3.TypedExtensionConfig") {
			configs[tree.Str(m, "name")] = m["typed_config"]
		}
		return true
	})
	each("", documents, func(_ string, m map[string]any) bool {
		for _, f := range tree.Items(m, "http_filters") {
			if filter, _ := f.(map[string]any); filter["config_discovery"] != nil && filter["typed_config"] == nil && configs[tree.Str(f, "name")] != nil {
				filter["typed_config"] = configs[tree.Str(f, "name")]
			}
		}
		return true
	})
}

// placed says whether a filter is one that discovered has put where it is. It stands elsewhere, too.
func placed(m map[string]any) bool {
	return m["config_discovery"] != nil && m["typed_config"] != nil
}

// each visits every map of documents, which stand at a place.
func each(place string, documents []any, visit func(place string, m map[string]any) bool) {
	for _, d := range documents {
		tree.Walk(d, place, visit)
	}
}
