package checks

import (
	"reflect"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// everywhere is the namespace whose resources select pods of all others: Istio's root, as it is installed.
const everywhere = "istio-system"

// apart judges whether a gateway's resources are in one namespace: a selector chooses pods of its own, and so does a Service.
func (s setup) apart(f *manifest.Filter, c *config.Config) (out []finding.Finding) {
	var spaces []string // of the EnvoyFilters, and of the WasmPlugin
	for i := range s.Patches {
		spaces = append(spaces, s.Patches[i].Space)
	}
	if f.Space != "" && f.Space != everywhere && elsewhere(spaces, f.Space) {
		out = append(out, finding.Broken.At(f.Where, "it is in the namespace "+f.Space+", and the EnvoyFilters are in "+finding.Some(distinct(spaces))+": they are not at the same gateways",
			"one namespace, the gateway's"))
	}
	if at := s.spaceOf(f); at != "" {
		spaces = []string{at}
	}
	parts := strings.Split(c.Peers.Cluster, "|") // outbound|PORT||SERVICE.NAMESPACE.svc.…
	if host := strings.Split(parts[len(parts)-1], "."); len(parts) == 4 && len(host) > 2 && host[2] == "svc" && elsewhere(spaces, host[1]) {
		out = append(out, finding.Weak.At(f.Where, "it is for gateways in "+finding.Some(distinct(spaces))+", and asks those of the Service "+host[0]+" in "+host[1]+": where that has no pods, gateways share nothing",
			"the gateway's namespace in peers.cluster, and in all resources of istio/gateways"))
	}
	return out
}

// spaceOf is the namespace of the WasmPlugin or the EnvoyFilter that has a module; "": it is not said.
func (s setup) spaceOf(f *manifest.Filter) string {
	space := f.Space
	for i := range s.Patches {
		tree.Walk(s.Patches[i].Value, "", func(_ string, at map[string]any) bool {
			if f.Wasm != nil && reflect.ValueOf(at).Pointer() == reflect.ValueOf(f.Wasm).Pointer() {
				space = s.Patches[i].Space
			}
			return true
		})
	}
	return space
}

// elsewhere says whether resources in these namespaces, if there are any, select nothing in one.
func elsewhere(spaces []string, one string) bool {
	return len(spaces) > 0 && !slices.ContainsFunc(spaces, func(n string) bool { return n == "" || n == everywhere || n == one })
}

func distinct(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
