package checks

import (
	"net"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// kind judges what kind of cluster is to take choices: whether Envoy keeps one host for each replica, and asks it in a protocol that
// replicas have.
func kind(c map[string]any) (out []finding.Finding) {
	where := "cluster " + tree.Str(c, "name")
	if tree.Str(c, "type") == "LOGICAL_DNS" {
		out = append(out, finding.Weak.At(where, "LOGICAL_DNS keeps one host, the first address of the name: there is nothing to choose from", "type: STRICT_DNS"))
	}
	if speaksHTTP2(c) {
		out = append(out, finding.Weak.At(where, "it speaks HTTP/2, which the servers of vLLM and SGLang do not: requests get 502 (flags UPE)", "explicit_http_config: {http_protocol_options: {}}, or no HttpProtocolOptions; right only where another proxy stands before each replica"))
	}
	return out
}

// members are the clusters that an aggregate cluster is made of; nil: it is none.
func members(c map[string]any) (names []string) {
	if tree.Str(c, "cluster_type", "name") != "envoy.clusters.aggregate" {
		return nil
	}
	for _, name := range tree.Items(c, "cluster_type", "typed_config", "clusters") {
		if text, ok := name.(string); ok {
			names = append(names, text)
		}
	}
	return names
}

func speaksTLS(c map[string]any) bool {
	context, _ := tree.Member(c, "transport_socket", "typed_config").(map[string]any)
	return tree.Typed(context, "tls.v3.UpstreamTlsContext")
}

func speaksHTTP2(c map[string]any) bool {
	const options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
	return c["http2_protocol_options"] != nil || tree.Member(c, "typed_extension_protocol_options", options, "explicit_http_config", "http2_protocol_options") != nil
}

// listed judges whether a cluster has the endpoints that are configured.
func listed(c map[string]any, p *config.Pool) (out []finding.Finding) {
	where, hosts := "cluster "+tree.Str(c, "name"), addresses(c)
	for _, host := range hosts {
		if name, _, err := net.SplitHostPort(host); err == nil && net.ParseIP(name) == nil && len(manifest.Servers(p)) > 0 {
			return []finding.Finding{finding.Weak.At(where, "its hosts are names, such as "+name+", and endpoints are the addresses that names stand for now: once one changes, override_host skips it", "discovery: {cluster: "+tree.Str(c, "name")+", admin_cluster: …} in place of endpoints, as in examples/envoy/discovery.yaml")}
		}
	}
	for _, e := range manifest.Servers(p) {
		if len(hosts) > 0 && !slices.Contains(hosts, e.Address) {
			out = append(out, finding.Broken.At(where, "it does not have the endpoint "+e.Address+": override_host skips it", "the same ip:port in endpoints and in load_assignment"))
		}
	}
	return out
}

// OverTLS are the clusters among whose hosts gateways choose that speak TLS.
func OverTLS(s *manifest.Setup) (names []string) {
	for _, name := range chosenFor(s, s.Gateways()) {
		if speaksTLS(s.Cluster(name)) {
			names = append(names, name)
		}
	}
	return names
}

// chosenFor are the clusters among whose hosts gateways choose.
func chosenFor(s *manifest.Setup, gateways []config.Config) (names []string) {
	for i := range gateways {
		for _, p := range s.Steered(&gateways[i]) {
			if p.Steer.Target == config.TargetEndpoint {
				names = append(names, p.Discovery.Cluster, p.Scrape.Cluster, p.Steer.Cluster)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return slices.Compact(names)
}

// led judges where a manager's own routes lead: for which requests a choice is made, and whether the cluster takes it. Of several pools
// the module knows which requests are whose.
func (s setup) led(m map[string]any, where string, gateways []config.Config) (out []finding.Finding) {
	ours := chosenFor(s.Setup, gateways)
	if m["route_config"] == nil || len(ours) == 0 || slices.ContainsFunc(gateways, func(c config.Config) bool { return len(c.Pools) > 0 }) {
		return nil
	}
	var others []string
	taken, open := false, false
	tree.Walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		r, is := at["route"].(map[string]any)
		if !is {
			return true
		}
		open = open || r["cluster_header"] != nil || r["cluster_specifier_plugin"] != nil || r["inline_cluster_specifier_plugin"] != nil
		names := manifest.ClustersOf(r)
		for _, mirror := range tree.Items(r, "request_mirror_policies") {
			if name := tree.Str(mirror, "cluster"); slices.Contains(ours, name) {
				out = append(out, finding.Weak.At(where, "a route mirrors requests to cluster "+name+", among whose hosts the module chooses: each is computed twice, and one of the two counts", "a mirror that is no pool, or none; shadow compares policies without sending anything"))
			}
		}
		if some := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(ours, name) }); some {
			taken = true
			for _, name := range names {
				if !slices.Contains(ours, name) && manifest.OverrideHeader(tree.Member(s.Cluster(name), "load_balancing_policy")) == "" {
					out = append(out, finding.Weak.At(where, "a route has a part of its requests go to cluster "+name+", which takes no choice: they count for endpoints that do not get them", "weights between clusters of which each is a pool: \"pools\": [{\"match\": {\"cluster\": …}}, …]; for a canary of a policy \"experiment\""))
				}
			}
		} else {
			others = append(others, names...)
		}
		return true
	})
	if !taken && !open && len(others) > 0 {
		out = append(out, finding.Broken.At(where, "no route leads to cluster "+strings.Join(ours, ", ")+", among whose hosts the module chooses: requests go to "+others[0]+", as Envoy likes", "route: {cluster: "+ours[0]+"}"))
	}
	return finding.Distinct(out)
}
