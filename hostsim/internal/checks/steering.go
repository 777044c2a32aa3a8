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

// flag judges whether a held request is shown its body.
func (s setup) flag(f *manifest.Filter, p *config.Pool) []finding.Finding {
	flagged := tree.Member(f.Wasm, "allow_on_headers_stop_iteration") == true
	switch {
	case f.Plugin && p.Steer.Via == config.ViaHeader:
		return []finding.Finding{finding.Broken.At(f.Where, "steer.via is header, which needs a flag that this resource cannot set: Envoy never shows a held request its body, and all goes by load", "steer: {via: property}   # with the EnvoyFilter of istio/wasmplugin")}
	case f.Wasm != nil && p.Steer.Via == config.ViaHeader && !flagged:
		return []finding.Finding{finding.Broken.At(f.Where, "Envoy never shows a held request its body: the first three requests of a worker wait decide_timeout, then all goes by load", "allow_on_headers_stop_iteration: true   # in the filter's config:, Envoy 1.35 or newer")}
	}
	return nil
}

// steering judges whether the choice reaches the cluster.
func (s setup) steering(f *manifest.Filter, p *config.Pool) []finding.Finding {
	var out []finding.Finding
	header := config.ClusterHeader
	if p.Steer.Target == config.TargetCluster {
		header = p.Steer.Header
	}
	if (p.Steer.Target == config.TargetCluster || p.Steer.Cluster != "") && !s.takes(header) {
		out = append(out, finding.Broken.At(f.Where, "no route takes the cluster that the header "+header+" names: requests go to the route's own", "route: {cluster_header: "+header+"}   # as in examples/envoy/cluster.yaml and pools.yaml"))
	}
	switch p.Steer.Target {
	case config.TargetCluster:
		for _, e := range manifest.Servers(p) {
			if s.Cluster(e.Cluster) == nil {
				out = append(out, finding.Broken.At(f.Where, "endpoint "+e.Address+" names the cluster "+e.Cluster+", which there is not: its requests get 503", "clusters: [{name: "+e.Cluster+", …}]"))
			}
		}
		return out
	case config.TargetHash:
		if !slices.Contains(s.Hashed, strings.ToLower(p.Steer.Header)) {
			out = append(out, finding.Broken.At(f.Where, "no route hashes by the header "+p.Steer.Header+", so that the key changes nothing", "route: {hash_policy: [{header: {header_name: "+p.Steer.Header+"}}]}"))
		}
		return out
	}
	steered := steeredTo(p)
	for _, name := range steered {
		out = append(out, s.overridden(f, p, name, "Envoy balances as it likes, and readings of metrics reach any replica", p.Steer.Header)...)
	}
	if name := p.Scrape.Cluster; name != "" && !slices.Contains(steered, name) {
		out = append(out, s.overridden(f, p, name, "readings of metrics reach any replica", config.EndpointHeader, p.Steer.Header)...)
	}
	out = append(out, s.translated(f, p)...)
	if p.Scrape.Path == "" {
		out = append(out, finding.Weak.At(f.Where, "the replicas' metrics are not read: other clients' requests, restarts and the size of the caches are not known", `"scrape": {"cluster": "NAME"}`))
	}
	if p.Steer.Via == config.ViaProperty && !s.Mentions("wasm.warmroute_endpoint") && !s.Gated() {
		out = append(out, finding.Broken.At(f.Where, "steer.via is property, and no filter makes it the header "+p.Steer.Header, "a header_mutation filter with %FILTER_STATE(wasm.warmroute_endpoint:PLAIN)%, as in examples/envoy/property.yaml; or the module once more, behind this one, with {\"role\": \"gate\"}"))
	}
	return out
}

// steeredTo are the clusters that a pool names and sends requests to: where it names none, that of the metrics, as far as is known.
func steeredTo(p *config.Pool) []string {
	names := []string{p.Discovery.Cluster, p.Steer.Cluster}
	if p.Discovery.Cluster == "" && p.Steer.Cluster == "" {
		names[0] = p.Scrape.Cluster
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// takes says whether a route goes by that header: its cluster is the one named there, or it is for one that is, as Istio's are. Where no routes are
// known, one may.
func (s setup) takes(header string) bool {
	known, found := len(s.Routes) > 0, false
	for _, m := range s.Managers {
		if known = known || m["route_config"] != nil; m["rds"] != nil && len(s.Routes) == 0 {
			return true
		}
	}
	s.EachRoute(func(_ string, m map[string]any) bool {
		found = found || strings.EqualFold(tree.Str(m, "cluster_header"), header)
		for _, matcher := range tree.Items(m, "match", "headers") {
			found = found || strings.EqualFold(tree.Str(matcher, "name"), header) && tree.Member(matcher, "present_match") == nil
		}
		return true
	})
	return found || !known
}

// overridden judges a cluster that is to take the choice from one of headers; otherwise says what becomes of it.
func (s setup) overridden(f *manifest.Filter, p *config.Pool, name, otherwise string, headers ...string) []finding.Finding {
	where := "cluster " + name
	c := s.Cluster(name)
	if c == nil {
		return []finding.Finding{finding.Broken.At(f.Where, "there is no cluster "+name+", which it names", "clusters: [{name: "+name+", …}]")}
	}
	if made := members(c); made != nil {
		return []finding.Finding{finding.Broken.At(where, "it is an aggregate of "+strings.Join(made, ", ")+": it obeys no choice, and lists no hosts to discover", "one cluster with all hosts, the first priority for those that are preferred; or a route to one of "+strings.Join(made, ", ")+", and its name in discovery and scrape")}
	}
	out := kind(c)
	takes := false
	tree.Walk(c["load_balancing_policy"], "", func(_ string, m map[string]any) bool {
		for _, source := range tree.Items(m, "override_host_sources") {
			named := tree.Str(source, "header")
			takes = takes || slices.ContainsFunc(headers, func(h string) bool { return strings.EqualFold(h, named) }) || tree.Member(source, "metadata") != nil
		}
		return true
	})
	if !takes {
		out = append(out, finding.Broken.At(where, "it lacks the override_host policy by the header "+headers[0]+": "+otherwise,
			"load_balancing_policy: {policies: [{typed_extension_config: {name: envoy.load_balancing_policies.override_host, typed_config: {\"@type\": type.googleapis.com/envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost, override_host_sources: [{header: "+headers[0]+"}], fallback_policy: …}}}]}"))
	}
	out = append(out, listed(c, p)...)
	out = append(out, s.unlisted(c)...)
	out = append(out, judged(c, p)...)
	out = append(out, divided(c)...)
	out = append(out, narrow(c)...)
	if retries := tree.Number(firstOf(tree.Items(c, "circuit_breakers", "thresholds")), "max_retries"); retries < 16 {
		out = append(out, finding.Weak.At(where, "at most three retries at once, Envoy's default: too few for the moment in which a busy replica dies", "circuit_breakers: {thresholds: [{max_connections: 16384, max_pending_requests: 16384, max_requests: 16384, max_retries: 1024}]}"))
	}
	return out
}

func firstOf(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// addresses are the IP addresses and ports that a cluster lists.
func addresses(c map[string]any) (out []string) {
	tree.Walk(c["load_assignment"], "", func(_ string, m map[string]any) bool {
		if a, ok := m["socket_address"].(map[string]any); ok && tree.Str(a, "address") != "" {
			host := tree.Str(a, "address")
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			out = append(out, fmt.Sprintf("%s:%.0f", host, tree.Number(a, "port_value")))
		}
		return true
	})
	return out
}
