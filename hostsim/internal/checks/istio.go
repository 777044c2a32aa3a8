package checks

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// poolService is how Istio names the Service that it makes of an InferencePool, whose cluster takes the choice without a patch.
var poolService = regexp.MustCompile(`-ip-[0-9a-f]{8}\.`)

// patched judges what EnvoyFilters do for a module in Istio, where some are given with it: the cluster takes the choice, something makes it a
// header, and both are at the same gateways.
func (s setup) patched(f *manifest.Filter, p *config.Pool) []finding.Finding {
	if s.Envoy || p.Steer.Target != config.TargetEndpoint {
		return nil
	}
	if len(s.Patches) == 0 {
		return s.alone(f)
	}
	var out []finding.Finding
	if i := slices.IndexFunc(s.Patches, func(p manifest.Patch) bool { return p.Meshed }); i >= 0 {
		out = append(out, meshed(s.Patches[i].Where, "workloadSelector: {labels: …}"))
	}
	if i := slices.IndexFunc(s.Patches, func(p manifest.Patch) bool { return strings.HasPrefix(p.Context(), "SIDECAR_") }); i >= 0 {
		out = append(out, finding.Weak.At(s.Patches[i].Where, "a patch is for the context "+s.Patches[i].Context()+": no gateway has it", "context: GATEWAY"))
	}
	if p.Steer.Via == config.ViaProperty && !s.Gated() && !s.Mentions("wasm.warmroute_endpoint") {
		out = append(out, finding.Broken.At(f.Where, "steer.via is property, and no EnvoyFilter makes it the header "+p.Steer.Header, "the header_mutation filter of istio/wasmplugin/envoyfilter.yaml"))
	}
	out = append(out, s.looked(f)...)
	name := p.Discovery.Cluster
	if !strings.Contains(name, "|") || poolService.MatchString(name) {
		return out
	}
	overridden, others := false, ""
	for i := range s.Patches {
		patch := &s.Patches[i]
		if header := manifest.OverrideHeader(patch.Value); header != "" && patch.ApplyTo == "CLUSTER" {
			switch fits := patch.Fits(name); {
			case fits && strings.EqualFold(header, p.Steer.Header):
				overridden = true
			case fits:
				others = fmt.Sprintf("; that of %s reads the header %s", patch.Where, header)
			default:
				others = fmt.Sprintf("; that of %s matches %s", patch.Where, matched(patch))
			}
		}
		if labels, _ := tree.Member(f.Spec, "selector", "matchLabels").(map[string]any); labels != nil && patch.Selector != nil && !maps.Equal(labels, patch.Selector) {
			out = append(out, finding.Weak.At(f.Where, fmt.Sprintf("it is at the workloads %s, and %s at %s", labelled(labels), patch.Where, labelled(patch.Selector)), "the same labels in selector and workloadSelector"))
		}
	}
	if !overridden {
		out = append(out, finding.Broken.At(f.Where, "no EnvoyFilter gives the cluster "+name+" the override_host policy by the header "+p.Steer.Header+others+": Envoy balances as it likes",
			"the patch applyTo: CLUSTER of istio/wasmplugin/envoyfilter.yaml, with this Service and port"))
	}
	return out
}

// alone says of a WasmPlugin that is given without an EnvoyFilter what it does not do by itself.
func (s setup) alone(f *manifest.Filter) []finding.Finding {
	if !strings.HasPrefix(f.Where, manifest.WasmPlugin) {
		return nil
	}
	return []finding.Finding{finding.Weak.At(f.Where, "no EnvoyFilter is given with it: a WasmPlugin alone chooses, and Envoy balances as it likes",
		"hostsim check wasmplugin.yaml envoyfilter.yaml   # those of istio/wasmplugin; both must be applied")}
}

// matched says which clusters a patch is for.
func matched(p *manifest.Patch) string {
	match := tree.Member(p.Match, "cluster")
	if name := tree.Str(match, "name"); name != "" {
		return name
	}
	return fmt.Sprintf("service %s, port %.0f, subset %q", finding.OrNone(tree.Str(match, "service")), tree.Number(match, "portNumber"), tree.Str(match, "subset"))
}

// labelled are labels as a manifest has them.
func labelled(labels map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, fmt.Sprintf("%s: %v", name, labels[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
