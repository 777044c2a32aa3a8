package checks

import (
	"fmt"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/tree"
)

// absent finds routes to clusters that are not there: Envoy refuses the configuration, or with validate_clusters: false such requests
// get 503. Judged is what is complete alone: a bootstrap to which no control plane adds clusters, and the routes in its listeners.
func (s setup) absent() (out []finding.Finding) {
	if !s.Whole || s.CDS {
		return nil
	}
	for _, m := range s.Managers {
		said := map[string]bool{} // one mistake may stand in several routes
		check := func(place, name string) {
			if name != "" && s.Cluster(name) == nil && !said[name] {
				said[name] = true
				out = append(out, finding.Broken.At("listener "+tree.Str(m, "stat_prefix"), place+" is "+name+", and there is no such cluster: Envoy refuses the configuration, or these requests get 503", "clusters: [{name: "+name+", …}]"))
			}
		}
		tree.Walk(m["route_config"], "route_config", func(place string, at map[string]any) bool {
			r := at["route"]
			check(place+".route.cluster", tree.Str(r, "cluster"))
			for i, w := range tree.Items(r, "weighted_clusters", "clusters") {
				check(fmt.Sprintf("%s.route.weighted_clusters.clusters[%d].name", place, i), tree.Str(w, "name"))
			}
			for i, mirror := range tree.Items(r, "request_mirror_policies") {
				check(fmt.Sprintf("%s.route.request_mirror_policies[%d].cluster", place, i), tree.Str(mirror, "cluster"))
			}
			return true
		})
	}
	return out
}
