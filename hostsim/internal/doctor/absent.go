package doctor

import "fmt"

// absent finds routes to clusters that are not there: Envoy refuses the configuration, or with validate_clusters: false such requests
// get 503. Judged is what is complete alone: a bootstrap to which no control plane adds clusters, and the routes in its listeners.
func (s *Setup) absent() (out []Finding) {
	if !s.whole || s.cds {
		return nil
	}
	for _, m := range s.Managers {
		check := func(place, name string) {
			if name != "" && s.cluster(name) == nil {
				out = append(out, Finding{Broken, "listener " + str(m, "stat_prefix"), place + " is " + name + ", and there is no such cluster: Envoy refuses the configuration, or these requests get 503", "clusters: [{name: " + name + ", …}]"})
			}
		}
		walk(m["route_config"], "route_config", func(place string, at map[string]any) bool {
			r := at["route"]
			check(place+".route.cluster", str(r, "cluster"))
			for i, w := range items(r, "weighted_clusters", "clusters") {
				check(fmt.Sprintf("%s.route.weighted_clusters.clusters[%d].name", place, i), str(w, "name"))
			}
			for i, mirror := range items(r, "request_mirror_policies") {
				check(fmt.Sprintf("%s.route.request_mirror_policies[%d].cluster", place, i), str(mirror, "cluster"))
			}
			return true
		})
	}
	return out
}
