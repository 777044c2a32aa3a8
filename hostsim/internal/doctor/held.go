package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// bufferName is how filters are called that hold requests, and what routes turn on.
const bufferName = "envoy.filters.http.buffer"

// offByDefault says whether a filter that holds requests is there and off, until a route turns it on.
func (s *Setup) offByDefault() bool {
	off := false
	for _, m := range s.Managers {
		walk(m["http_filters"], "", func(_ string, at map[string]any) bool {
			off = off || str(at, "name") == bufferName && at["disabled"] == true
			return true
		})
	}
	return off
}

// unheld names routes to clusters of ours whose requests nothing holds until the choice is made: Istio's, which a patch looks for by
// another name.
func unheld(routes map[string]any, ours map[string]bool) (out []Finding) {
	for _, host := range items(routes, "virtual_hosts") {
		if turnsOn(host) {
			continue
		}
		for _, r := range items(host, "routes") {
			if turnsOn(r) || !slices.ContainsFunc(clustersOf(member(r, "route")), func(name string) bool { return ours[name] }) {
				continue
			}
			name := orNone(str(r, "name"))
			out = append(out, Finding{Broken, "routes " + str(routes, "name"),
				"the route " + name + " does not turn on the buffer filter, which is off by default: requests go on before the choice is made, unsteered",
				"the EnvoyFilter's patch applyTo: HTTP_ROUTE, with route: {name: " + name + "}; in a VirtualService and an HTTPRoute rules have names"})
		}
	}
	return out
}

func turnsOn(at any) bool { return member(at, "typed_per_filter_config", bufferName) != nil }

// clustersOf are the clusters that a route leads to.
func clustersOf(route any) (names []string) {
	if name := str(route, "cluster"); name != "" {
		names = append(names, name)
	}
	for _, c := range items(route, "weighted_clusters", "clusters") {
		names = append(names, str(c, "name"))
	}
	return names
}

// routed are the names of the rules of a VirtualService or an HTTPRoute, as Istio's routes have them.
func routed(m map[string]any) (names []string) {
	for i, rule := range append(items(m, "spec", "http"), items(m, "spec", "rules")...) {
		name := str(rule, "name")
		if name == "" && str(m, "kind") == "HTTPRoute" {
			name = fmt.Sprintf("%s.%s.%d", cmp.Or(str(m, "metadata", "namespace"), "default"), str(m, "metadata", "name"), i)
		}
		names = append(names, name)
	}
	return names
}

// looked judges whether the patches of routes find one, where routes are given with them.
func (s *Setup) looked(f *Filter) (out []Finding) {
	for i := range s.Patches {
		p := &s.Patches[i]
		name := str(p.Match, "routeConfiguration", "vhost", "route", "name")
		if p.ApplyTo != "HTTP_ROUTE" || name == "" || len(s.Rules) == 0 || slices.Contains(s.Rules, name) {
			continue
		}
		out = append(out, Finding{Broken, f.Where, fmt.Sprintf("%s looks for a route %s, and those given are called %s: nothing holds their requests until the choice is made", p.Where, name, quoted(s.Rules)),
			"http: [{name: " + name + ", …}] in the VirtualService (rules in an HTTPRoute), or the route's name in the EnvoyFilter"})
	}
	return out
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}
