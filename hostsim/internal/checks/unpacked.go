package checks

import (
	"fmt"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/tree"
)

// mostInflated is how many times as long as it came gzip can make a body; usualInflated is what Envoy allows unless max_inflate_ratio is set.
const mostInflated, usualInflated = 1032, 100

// unpacked names gzip decompressors that cut off requests: Envoy's do so, without an error, with what becomes many times as long as it came.
func unpacked(m map[string]any, where string) (out []finding.Finding) {
	for _, f := range tree.Items(m, "http_filters") {
		at, _ := tree.Member(f, "typed_config").(map[string]any)
		if disabled(f) || !tree.Typed(at, "decompressor.v3.Decompressor") || tree.Member(at, "request_direction_config", "common_config", "enabled", "default_value") == false {
			continue
		}
		library, _ := tree.Member(at, "decompressor_library", "typed_config").(map[string]any)
		most := tree.Number(library, "max_inflate_ratio")
		if most == 0 {
			most = usualInflated
		}
		if tree.Typed(library, "gzip.decompressor.v3.Gzip") && most < mostInflated {
			out = append(out, finding.Weak.At(where, fmt.Sprintf("the filter %s cuts off, without an error, requests that become %g times as long as they came, as prompts that repeat themselves do", tree.Str(f, "name"), most), fmt.Sprint("in its decompressor_library: max_inflate_ratio: ", mostInflated)))
		}
	}
	return out
}
