package doctor

import (
	"maps"
	"slices"

	"warmroute/plugin/config"
)

// poolsOf are the pools of a configuration, at least one.
func poolsOf(c *config.Config) []config.Pool {
	if len(c.Pools) == 0 {
		return []config.Pool{c.Pool}
	}
	pools := make([]config.Pool, len(c.Pools))
	for i := range pools {
		pools[i] = c.Pools[i].Pool
	}
	return pools
}

// steered are the pools of a configuration whose endpoints the module chooses, so not those that are off. In an Envoy a pattern
// stands for the clusters that fit it and that a route leads to, as in the module, which makes a pool at the first request for each.
func (s *Setup) steered(c *config.Config) (pools []config.Pool) {
	if len(c.Pools) == 0 {
		return []config.Pool{c.Pool}
	}
	taken := map[string]bool{} // by a pool of that cluster alone, or by a pattern before
	for i := range c.Pools {
		if p := &c.Pools[i]; !p.IsPattern() {
			taken[p.Match.Cluster] = true
		}
	}
	led := s.ledTo()
	for i := range c.Pools {
		p := &c.Pools[i]
		if !p.IsPattern() || !s.Envoy {
			if !p.Off {
				pools = append(pools, p.Pool)
			}
			continue
		}
		for _, cluster := range led {
			found := p.Found(cluster)
			if found == nil || taken[cluster] {
				continue
			}
			if taken[cluster] = true; !p.Off {
				pools = append(pools, found.Pool)
			}
		}
	}
	return pools
}

// ledTo are the clusters that routes lead to, in the order of their names.
func (s *Setup) ledTo() []string {
	led := map[string]bool{}
	s.eachRoute(func(_ string, m map[string]any) bool {
		for _, name := range clustersOf(m["route"]) {
			led[name] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(led))
}

// unfit names patterns that no cluster fits, where all clusters are known.
func (s *Setup) unfit(f *Filter, c *config.Config) (out []Finding) {
	for i := range c.Pools {
		p := &c.Pools[i]
		fits := func(cluster map[string]any) bool { return p.Found(str(cluster, "name")) != nil }
		if p.IsPattern() && s.whole && !s.cds && !slices.ContainsFunc(s.Clusters, fits) {
			out = append(out, Finding{Weak, f.Where, "no cluster fits " + p.Match.Cluster + ": the pool " + p.Name + " gets no request", "match: {cluster: …}, as /clusters of the admin interface names them"})
		}
	}
	return out
}
