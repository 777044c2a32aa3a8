package checks

import (
	"slices"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// pools judges a module's pools. What several have in common is said once.
func (s setup) pools(f *manifest.Filter, c *config.Config) []finding.Finding {
	out := s.flag(f, &c.Pool) // all pools have the same steer.via
	pools := s.Steered(c)
	for i := range pools {
		p := &pools[i]
		all := slices.Concat(s.names(f, p), s.patched(f, p), s.ranked(f, p))
		if s.Envoy {
			all = append(all, s.steering(f, p)...)
		}
		for _, one := range all {
			if !slices.ContainsFunc(out, func(said finding.Finding) bool { return said.What == one.What && said.Cure == one.Cure }) {
				out = append(out, one)
			}
		}
	}
	return out
}

// unfit names patterns that no cluster fits, where all clusters are known.
func (s setup) unfit(f *manifest.Filter, c *config.Config) (out []finding.Finding) {
	for i := range c.Pools {
		p := &c.Pools[i]
		fits := func(cluster map[string]any) bool { return p.Found(tree.Str(cluster, "name")) != nil }
		if p.IsPattern() && s.Whole && !s.CDS && !slices.ContainsFunc(s.Clusters, fits) {
			out = append(out, finding.Weak.At(f.Where, "no cluster fits "+p.Match.Cluster+": the pool "+p.Name+" gets no request", "match: {cluster: …}, as /clusters of the admin interface names them"))
		}
	}
	return out
}
