package doctor

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"warmroute/plugin/config"
)

// poolService is how Istio names the Service that it makes of an InferencePool, whose cluster takes the choice without a patch.
var poolService = regexp.MustCompile(`-ip-[0-9a-f]{8}\.`)

// Patch is one of an EnvoyFilter's configPatches.
type Patch struct {
	Where    string // such as EnvoyFilter warmroute
	ApplyTo  string
	Match    any // of the patch
	Value    any
	Selector map[string]any // labels of the workloads; nil: all
}

func patches(m map[string]any) []Patch {
	var out []Patch
	selector, _ := member(m, "spec", "workloadSelector", "labels").(map[string]any)
	for _, p := range items(m, "spec", "configPatches") {
		out = append(out, Patch{
			Where: "EnvoyFilter " + str(m, "metadata", "name"), ApplyTo: str(p, "applyTo"), Match: member(p, "match"), Value: member(p, "patch", "value"), Selector: selector,
		})
	}
	return out
}

// fits says whether a patch of clusters is for one that Istio has named.
func (p *Patch) fits(name string) bool {
	if p.ApplyTo != "CLUSTER" {
		return false
	}
	match, _ := member(p.Match, "cluster").(map[string]any)
	if exact := str(match, "name"); exact != "" {
		return exact == name
	}
	part := strings.Split(name, "|") // outbound|PORT|SUBSET|HOST
	if len(part) != 4 {
		return match == nil
	}
	port := number(match, "portNumber")
	return (str(match, "service") == "" || str(match, "service") == part[3]) && (str(match, "subset") == "" || str(match, "subset") == part[2]) &&
		(port == 0 || fmt.Sprintf("%.0f", port) == part[1])
}

// patched judges what EnvoyFilters do for a module in Istio, where some are given with it: the cluster takes the choice, something makes it a
// header, and both are at the same gateways.
func (s *Setup) patched(f *Filter, p *config.Pool) []Finding {
	if s.Envoy || p.Steer.Target != config.TargetEndpoint {
		return nil
	}
	if len(s.Patches) == 0 {
		return s.alone(f)
	}
	var out []Finding
	if p.Steer.Via == config.ViaProperty && !s.gated() && !s.mentions("wasm.warmroute_endpoint") {
		out = append(out, Finding{Broken, f.Where, "steer.via is property, and no EnvoyFilter makes it the header " + p.Steer.Header, "the header_mutation filter of istio/wasmplugin/envoyfilter.yaml"})
	}
	out = append(out, s.looked(f)...)
	name := p.Discovery.Cluster
	if !strings.Contains(name, "|") || poolService.MatchString(name) {
		return out
	}
	overridden, others := false, ""
	for i := range s.Patches {
		patch := &s.Patches[i]
		if header := overrideHeader(patch.Value); header != "" && patch.ApplyTo == "CLUSTER" {
			switch fits := patch.fits(name); {
			case fits && strings.EqualFold(header, p.Steer.Header):
				overridden = true
			case fits:
				others = fmt.Sprintf("; that of %s reads the header %s", patch.Where, header)
			default:
				others = fmt.Sprintf("; that of %s matches %s", patch.Where, matched(patch))
			}
		}
		if labels, _ := member(f.Spec, "selector", "matchLabels").(map[string]any); labels != nil && patch.Selector != nil && !maps.Equal(labels, patch.Selector) {
			out = append(out, Finding{Weak, f.Where, fmt.Sprintf("it is at the workloads %v, and %s at %v", labels, patch.Where, patch.Selector), "the same labels in selector and workloadSelector"})
		}
	}
	if !overridden {
		out = append(out, Finding{Broken, f.Where, "no EnvoyFilter gives the cluster " + name + " the override_host policy by the header " + p.Steer.Header + others + ": Envoy balances as it likes",
			"the patch applyTo: CLUSTER of istio/wasmplugin/envoyfilter.yaml, with this Service and port"})
	}
	return out
}

// alone says of a WasmPlugin that is given without an EnvoyFilter what it does not do by itself.
func (s *Setup) alone(f *Filter) []Finding {
	if !strings.HasPrefix(f.Where, wasmPlugin) {
		return nil
	}
	return []Finding{{Weak, f.Where, "no EnvoyFilter is given with it: a WasmPlugin alone chooses, and Envoy balances as it likes",
		"hostsim check wasmplugin.yaml envoyfilter.yaml   # those of istio/wasmplugin; both must be applied"}}
}

// matched says which clusters a patch is for.
func matched(p *Patch) string {
	match := member(p.Match, "cluster")
	if name := str(match, "name"); name != "" {
		return name
	}
	return fmt.Sprintf("service %s, port %.0f, subset %q", orNone(str(match, "service")), number(match, "portNumber"), str(match, "subset"))
}

// overrideHeader is the header that an override_host policy below a tree reads; "": there is none.
func overrideHeader(tree any) string {
	found := ""
	walk(tree, "", func(_ string, m map[string]any) bool {
		for _, source := range items(m, "override_host_sources") {
			if header := str(source, "header"); header != "" {
				found = header
			}
		}
		return true
	})
	return found
}
