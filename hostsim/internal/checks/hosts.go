package checks

import (
	"fmt"
	"net"
	"slices"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// unlisted names hosts of a cluster that no gateway has as an endpoint, though others of the cluster are: nothing is sent there by choice.
func (s setup) unlisted(c map[string]any) []finding.Finding {
	var known, missing []string
	gateways := s.Gateways()
	for i := range gateways {
		for _, p := range manifest.PoolsOf(&gateways[i]) {
			if p.Discovery.Cluster != "" {
				return nil
			}
			for _, e := range manifest.Servers(&p) {
				known = append(known, e.Address)
			}
		}
	}
	for _, host := range addresses(c) {
		name, _, err := net.SplitHostPort(host)
		if err != nil || net.ParseIP(name) == nil {
			return nil
		}
		if !slices.Contains(known, host) {
			missing = append(missing, host)
		}
	}
	if len(known) == 0 || len(missing) == 0 {
		return nil
	}
	return []finding.Finding{finding.Weak.At("cluster "+tree.Str(c, "name"), "endpoints lack its hosts "+finding.Some(missing)+": they get only what passes unsteered", "the same ip:port in endpoints and in load_assignment")}
}

// judged says where Envoy judges the health of hosts, or prefers some, and the module does not hear of it: override_host obeys a choice whatever a host is.
func judged(c map[string]any, p *config.Pool) []finding.Finding {
	if p.Discovery.Cluster != "" || len(p.Endpoints) == 0 {
		return nil
	}
	where, discovered := "cluster "+tree.Str(c, "name"), "discovery: {cluster: "+tree.Str(c, "name")+", admin_cluster: …} in place of endpoints, as in examples/envoy/discovery.yaml"
	for _, name := range []string{"health_checks", "outlier_detection"} {
		if c[name] != nil {
			return []finding.Finding{finding.Weak.At(where, "the module does not hear of its "+name+", and override_host obeys every choice: hosts that Envoy has taken out get requests until responses show that they fail", discovered)}
		}
	}
	for _, level := range tree.Items(c, "load_assignment", "endpoints") {
		if tree.Number(level, "priority") > 0 {
			return []finding.Finding{finding.Weak.At(where, "the module does not hear of its priorities, and override_host obeys every choice: hosts of all priorities get requests alike",
				discovered+"; or only the hosts of the first priority in endpoints")}
		}
	}
	return nil
}

// divided says where routes choose a subset of the hosts (metadata_match) and override_host does not ask for it.
func divided(c map[string]any) (out []finding.Finding) {
	tree.Walk(c["load_balancing_policy"], "", func(_ string, m map[string]any) bool {
		if m["override_host_sources"] == nil {
			return true
		}
		tree.Walk(m["fallback_policy"], "", func(_ string, below map[string]any) bool {
			if tree.Typed(below, "subset.v3.Subset") {
				out = append(out, finding.Weak.At("cluster "+tree.Str(c, "name"), "its subsets stand in the fallback_policy of override_host, which obeys a choice whatever subset a route names (metadata_match): requests go to hosts of all subsets",
					"override_host within subset_lb_policy, with fallback_policy: ANY_ENDPOINT for readings of metrics; or a cluster and a pool for each subset"))
			}
			return true
		})
		return false
	})
	return out
}

// usualLimit is what Envoy's circuit breakers allow unless they are told.
const usualLimit = 1024

// narrow judges circuit breakers that refuse requests before the replicas are full.
func narrow(c map[string]any) (out []finding.Finding) {
	for _, name := range []string{"max_connections", "max_pending_requests", "max_requests"} {
		if n := tree.Number(firstOf(tree.Items(c, "circuit_breakers", "thresholds")), name); n > 0 && n < usualLimit {
			out = append(out, finding.Weak.At("cluster "+tree.Str(c, "name"), fmt.Sprintf("its circuit breaker has %s %.0f: what is above gets 503 (flags UO), and metrics cannot be read meanwhile", name, n), name+": 16384"))
		}
	}
	return out
}
