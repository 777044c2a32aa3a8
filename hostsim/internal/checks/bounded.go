package checks

import (
	"fmt"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// bounded names filters behind the module that bound bodies more narrowly than what it holds until its decision. Each sets the stream's limit
// once the headers come to it, which is after the body is held: Envoy 1.40 then has more than the limit, and neither refuses the request nor
// lets it go on, so that it hangs until stream_idle_timeout, or passes whole.
func bounded(m map[string]any, where string, held int) (out []finding.Finding) {
	ours := false
	for _, f := range tree.Items(m, "http_filters") {
		at, _ := tree.Member(f, "typed_config").(map[string]any)
		c, _ := at["config"].(map[string]any)
		discovered := tree.Member(f, "config_discovery") != nil && strings.Contains(tree.Str(f, "name"), "warmroute")
		if discovered || tree.Typed(at, "wasm.v3.Wasm") && manifest.IsOurs(c) {
			ours = true
			continue
		}
		most := most(at)
		if !ours || tree.Member(f, "disabled") == true || most == 0 || most >= float64(held+config.OneRead) {
			continue
		}
		out = append(out, finding.Broken.At(where, fmt.Sprintf("the filter %s stands behind the module, which holds up to %d KiB of a body: requests with more than its max_request_bytes (%.0f KiB) hang, or pass", tree.Str(f, "name"), held/1024, most/1024),
			"that filter before warmroute: it answers 413 there"))
	}
	return out
}

// most is how many bytes of a body a filter takes; 0: as many as come.
func most(filter map[string]any) float64 {
	if authz, ok := filter["with_request_body"].(map[string]any); ok && authz["allow_partial_message"] != true {
		return tree.Number(authz, "max_request_bytes")
	}
	if tree.Typed(filter, "filters.http.buffer.v3.Buffer") {
		return tree.Number(filter, "max_request_bytes")
	}
	return 0
}
