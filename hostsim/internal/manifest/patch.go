package manifest

import (
	"cmp"
	"fmt"
	"strings"

	"warmroute/hostsim/internal/tree"
)

// Patch is one of an EnvoyFilter's configPatches.
type Patch struct {
	Where    string // such as EnvoyFilter warmroute
	ApplyTo  string
	Match    any // of the patch
	Value    any
	Selector map[string]any // labels of the workloads; nil: all
	Meshed   bool           // at all workloads of the mesh
	Space    string         // the EnvoyFilter's namespace; "": not said
}

func patches(m map[string]any) []Patch {
	var out []Patch
	selector, _ := tree.Member(m, "spec", "workloadSelector", "labels").(map[string]any)
	for _, p := range tree.Items(m, "spec", "configPatches") {
		out = append(out, Patch{
			Where: "EnvoyFilter " + tree.Str(m, "metadata", "name"), ApplyTo: tree.Str(p, "applyTo"), Match: tree.Member(p, "match"), Value: tree.Member(p, "patch", "value"), Selector: selector, Meshed: meshed(m, "workloadSelector"), Space: tree.Str(m, "metadata", "namespace"),
		})
	}
	return out
}

// meshed says whether a resource of Istio is at all workloads of the mesh, or may be: it has no selector under that name, and is in Istio's root
// namespace, or in none yet.
func meshed(m map[string]any, selector string) bool {
	for _, at := range []string{selector, "targetRef", "targetRefs"} {
		if tree.Member(m, "spec", at) != nil {
			return false
		}
	}
	namespace := tree.Str(m, "metadata", "namespace")
	return namespace == "" || namespace == "istio-system"
}

// Context is the kind of proxies that a patch is for, such as GATEWAY; "": any.
func (p *Patch) Context() string { return tree.Str(p.Match, "context") }

// Fits says whether a patch of clusters is for one that Istio has named.
func (p *Patch) Fits(name string) bool {
	if p.ApplyTo != "CLUSTER" {
		return false
	}
	match, _ := tree.Member(p.Match, "cluster").(map[string]any)
	if exact := tree.Str(match, "name"); exact != "" {
		return exact == name
	}
	part := strings.Split(name, "|") // outbound|PORT|SUBSET|HOST
	if len(part) != 4 {
		return match == nil
	}
	port := tree.Number(match, "portNumber")
	return (tree.Str(match, "service") == "" || tree.Str(match, "service") == part[3]) && (tree.Str(match, "subset") == "" || tree.Str(match, "subset") == part[2]) &&
		(port == 0 || fmt.Sprintf("%.0f", port) == part[1])
}

// OverrideHeader is the header that an override_host policy below a place reads; "": there is none.
func OverrideHeader(below any) string {
	found := ""
	tree.Walk(below, "", func(_ string, m map[string]any) bool {
		for _, source := range tree.Items(m, "override_host_sources") {
			if header := tree.Str(source, "header"); header != "" {
				found = header
			}
		}
		return true
	})
	return found
}

// Rule is one of a VirtualService or an HTTPRoute.
type Rule struct {
	Where string // such as VirtualService vllm
	Name  string // as Istio's routes have it
	Has   map[string]any
}

// routed are the rules of a VirtualService or an HTTPRoute.
func routed(m map[string]any) (rules []Rule) {
	for i, rule := range append(tree.Items(m, "spec", "http"), tree.Items(m, "spec", "rules")...) {
		name := tree.Str(rule, "name")
		if name == "" && tree.Str(m, "kind") == "HTTPRoute" {
			name = fmt.Sprintf("%s.%s.%d", cmp.Or(tree.Str(m, "metadata", "namespace"), "default"), tree.Str(m, "metadata", "name"), i)
		}
		has, _ := rule.(map[string]any)
		rules = append(rules, Rule{tree.Str(m, "kind") + " " + tree.Str(m, "metadata", "name"), name, has})
	}
	return rules
}
