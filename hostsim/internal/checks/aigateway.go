package checks

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// ofAIGateway says whether requests to a cluster go through a filter of Envoy AI Gateway's, which translates them for it (v1.0:
// envoy.filters.http.ext_proc/aigateway, behind the choice of the endpoint).
func ofAIGateway(c map[string]any) bool {
	found := false
	tree.Walk(c["typed_extension_protocol_options"], "", func(_ string, m map[string]any) bool {
		for _, filter := range tree.Items(m, "http_filters") {
			found = found || strings.HasPrefix(tree.Str(filter, "name"), "envoy.filters.http.ext_proc/aigateway")
		}
		return true
	})
	return found
}

// translated judges a pool whose clusters are Envoy AI Gateway's.
func (s setup) translated(f *manifest.Filter, p *config.Pool) (out []finding.Finding) {
	theirs := func(name string) bool { return ofAIGateway(s.Cluster(name)) }
	if p.Steer.Header == config.EndpointHeader && slices.ContainsFunc(steeredTo(p), theirs) {
		out = append(out, finding.Broken.At(f.Where, "Envoy AI Gateway takes the header "+config.EndpointHeader+" for an endpoint picker's, and answers 500 to each request that has it",
			"steer: {header: x-warmroute-endpoint}   # of the gate too, and in endpointOverride, as in examples/envoy-ai-gateway"))
	}
	if p.Scrape.Path != "" && theirs(p.Scrape.Cluster) {
		out = append(out, finding.Broken.At(f.Where, "metrics are read through "+p.Scrape.Cluster+", where Envoy AI Gateway's filter answers 500 to all but clients' requests",
			"scrape: {cluster: …}   # of a route of its own to the same pods, as in examples/envoy-ai-gateway"))
	}
	return out
}

// unmatched names pools by cluster whose cluster is Envoy AI Gateway's: the module sees the one that the request's route had before
// that chose by the model.
func (s setup) unmatched(f *manifest.Filter, c *config.Config) []finding.Finding {
	for i := range c.Pools {
		p := &c.Pools[i]
		for _, cluster := range s.Clusters {
			name := tree.Str(cluster, "name")
			if fits := name == p.Match.Cluster || p.IsPattern() && p.Found(name) != nil; fits && ofAIGateway(cluster) {
				return []finding.Finding{finding.Broken.At(f.Where, "the pool "+p.Name+" gets no request: Envoy AI Gateway chooses the route by the body, and the module sees the cluster of the route before",
					"match: {models: […]}, discovery: {cluster: "+name+"}")}
			}
		}
	}
	return nil
}
