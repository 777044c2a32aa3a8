package checks

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// bufferName is how filters are called that hold requests, and what routes turn on.
const bufferName = "envoy.filters.http.buffer"

// offByDefault says whether a filter that holds requests is there and off, until a route turns it on.
func (s setup) offByDefault() bool {
	off := false
	for _, m := range s.Managers {
		tree.Walk(m["http_filters"], "", func(_ string, at map[string]any) bool {
			off = off || tree.Str(at, "name") == bufferName && at["disabled"] == true
			return true
		})
	}
	return off
}

// unheld names routes to clusters of ours whose requests nothing holds until the choice is made: Istio's, which a patch looks for by
// another name.
func unheld(routes map[string]any, ours map[string]bool) (out []finding.Finding) {
	for _, host := range tree.Items(routes, "virtual_hosts") {
		if turnsOn(host) {
			continue
		}
		for _, r := range tree.Items(host, "routes") {
			if turnsOn(r) || !slices.ContainsFunc(manifest.ClustersOf(tree.Member(r, "route")), func(name string) bool { return ours[name] }) {
				continue
			}
			name := finding.OrNone(tree.Str(r, "name"))
			out = append(out, finding.Broken.At("routes "+tree.Str(routes, "name"),
				"the route "+name+" does not turn on the buffer filter, which is off by default: requests go on before the choice is made, unsteered",
				"the EnvoyFilter's patch applyTo: HTTP_ROUTE, with route: {name: "+name+"}; in a VirtualService and an HTTPRoute rules have names"))
		}
	}
	return out
}

func turnsOn(at any) bool { return tree.Member(at, "typed_per_filter_config", bufferName) != nil }

// looked judges whether the patches of routes find one, where routes are given with them.
func (s setup) looked(f *manifest.Filter) (out []finding.Finding) {
	var given []string
	for i := range s.Rules {
		given = append(given, s.Rules[i].Name)
	}
	for i := range s.Patches {
		p := &s.Patches[i]
		name := tree.Str(p.Match, "routeConfiguration", "vhost", "route", "name")
		if p.ApplyTo != "HTTP_ROUTE" || name == "" || len(given) == 0 || slices.Contains(given, name) {
			continue
		}
		out = append(out, finding.Broken.At(f.Where, fmt.Sprintf("%s looks for a route %s, and those given are called %s: nothing holds their requests until the choice is made", p.Where, name, finding.Quoted(given)),
			"http: [{name: "+name+", …}] in the VirtualService (rules in an HTTPRoute), or the route's name in the EnvoyFilter"))
	}
	return out
}

// room judges whether EnvoyFilters let routes hold what the module holds until its decision, and one more read: Istio's own limit is Envoy's.
func (s setup) room(f *manifest.Filter, c *config.Config) []finding.Finding {
	if s.Envoy || len(s.Patches) == 0 || c.Steer.Via != config.ViaHeader || strings.HasPrefix(f.Where, manifest.WasmPlugin) {
		return nil
	}
	most, where := float64(1<<20), f.Where
	for i := range s.Patches {
		for _, limit := range []string{"request_body_buffer_limit", "per_connection_buffer_limit_bytes"} {
			if n := tree.Number(s.Patches[i].Value, limit); n > most {
				most, where = n, s.Patches[i].Where
			}
		}
	}
	held := heldBytes(c)
	want := float64(held + config.OneRead)
	if most >= want {
		return nil
	}
	return []finding.Finding{finding.Weak.At(where, fmt.Sprintf("bodies above %.0f KiB may be answered 413: what is held until the decision is up to %d KiB and one more read", most/1024, held/1024),
		fmt.Sprintf("request_body_buffer_limit: %.0f   # in the patch applyTo: HTTP_ROUTE, as in istio/envoyfilter; in the chart bodyLimit", want))}
}
