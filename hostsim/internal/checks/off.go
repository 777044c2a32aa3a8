package checks

import (
	"maps"
	"slices"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/tree"
)

const perRoute = "typed_per_filter_config"

// off judges what routes make of the module: whether it runs on any, and whether what they turn off is there.
func (s setup) off(m map[string]any, where string) (out []finding.Finding) {
	names := map[string]bool{}
	for _, f := range tree.Items(m, "http_filters") {
		name := tree.Str(f, "name")
		names[name] = true
		switch off := disabled(f); {
		case !routing(f):
		case m["route_config"] == nil && (!off || len(s.Routes) == 0): // routes come from elsewhere
		case off && !s.turnedOn(name):
			out = append(out, finding.Broken.At(where, "the filter "+name+" is disabled, and no route turns it on: it never runs", "no disabled: true"))
		case !off && m["route_config"] != nil && offEverywhere(m["route_config"], name):
			out = append(out, finding.Broken.At(where, "every route turns off the filter "+name+": it never runs", "no "+perRoute+" of "+name+" with disabled: true, but on a switch"))
		}
	}
	tree.Walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		configs, _ := at[perRoute].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(configs)) {
			if tree.Member(configs[name], "disabled") == true && !names[name] {
				out = append(out, finding.Weak.At(where, "a route turns off the filter "+name+", and none has that name: nothing is off there", perRoute+": names as in http_filters"))
			}
		}
		return true
	})
	return finding.Distinct(out)
}

// turnedOn says whether a route has a configuration of that filter which does not turn it off.
func (s setup) turnedOn(name string) bool {
	found := false
	s.EachRoute(func(_ string, at map[string]any) bool {
		c := tree.Member(at, perRoute, name)
		found = found || c != nil && tree.Member(c, "disabled") != true
		return true
	})
	return found
}

// offEverywhere says whether a filter is off on each route; what is nearer counts.
func offEverywhere(routes any, name string) bool {
	some, all := false, true
	var walk func(at any, off bool)
	walk = func(at any, off bool) {
		switch v := at.(type) {
		case map[string]any:
			if c := tree.Member(v, perRoute, name); c != nil {
				off = tree.Member(c, "disabled") == true
			}
			if v["route"] != nil {
				some, all = true, all && off
			}
			walk(v["virtual_hosts"], off)
			walk(v["routes"], off)
		case []any:
			for _, item := range v {
				walk(item, off)
			}
		}
	}
	walk(routes, false)
	return some && all
}
