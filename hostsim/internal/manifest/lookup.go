package manifest

import (
	"maps"
	"slices"
	"strings"

	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// PoolsOf are the pools of a configuration, at least one.
func PoolsOf(c *config.Config) []config.Pool {
	if len(c.Pools) == 0 {
		return []config.Pool{c.Pool}
	}
	pools := make([]config.Pool, len(c.Pools))
	for i := range pools {
		pools[i] = c.Pools[i].Pool
	}
	return pools
}

// Steered are the pools of a configuration whose endpoints the module chooses, so not those that are off. In an Envoy a pattern
// stands for the clusters that fit it and that a route leads to, as in the module, which makes a pool at the first request for each.
func (s *Setup) Steered(c *config.Config) (pools []config.Pool) {
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
	s.EachRoute(func(_ string, m map[string]any) bool {
		for _, name := range ClustersOf(m["route"]) {
			led[name] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(led))
}

// EachRoute walks over all routes: the listeners' own, and those that come from elsewhere.
func (s *Setup) EachRoute(see func(place string, m map[string]any) bool) {
	for _, m := range s.Managers {
		tree.Walk(m["route_config"], "", see)
	}
	for _, r := range s.Routes {
		tree.Walk(r, "", see)
	}
}

// Gateways are the configurations of the filters that route.
func (s *Setup) Gateways() []config.Config { return s.ofRole(config.RoleGateway) }

func (s *Setup) ofRole(role config.Role) (all []config.Config) {
	for _, f := range s.Filters {
		if c, err := config.Parse(f.JSON); err == nil && c.Role == role {
			all = append(all, c)
		}
	}
	return all
}

// Gated says whether a filter of the role gate holds requests.
func (s *Setup) Gated() bool { return len(s.Gates()) > 0 }

// Gates are the configurations of the filters of that role.
func (s *Setup) Gates() []config.Config { return s.ofRole(config.RoleGate) }

// Mentions says whether a text is part of one of the configuration's.
func (s *Setup) Mentions(text string) bool {
	for _, t := range s.texts {
		if strings.Contains(t, text) {
			return true
		}
	}
	return false
}

// Cluster finds a cluster by name; nil: there is none.
func (s *Setup) Cluster(name string) map[string]any {
	for _, c := range s.Clusters {
		if tree.Str(c, "name") == name {
			return c
		}
	}
	return nil
}

// RankState is the filter state that has the rank where the choice is a property.
const RankState = "wasm.warmroute_rank"

// Servers are a pool's configured endpoints by the addresses that they listen on, each once.
func Servers(p *config.Pool) (list []config.Endpoint) {
	for _, e := range p.Endpoints {
		if e.IsFirstRank() {
			e.Address = e.Server()
			list = append(list, e)
		}
	}
	return list
}

// CarriesRank says whether requests name the rank that is chosen to their server, as far as is known.
func (s *Setup) CarriesRank(p *config.Pool) bool {
	return p.Steer.Via != config.ViaProperty || !s.Envoy && len(s.Patches) == 0 || len(s.Gates()) > 0 || s.Mentions(RankState)
}

// ClustersOf are the clusters that a route leads to.
func ClustersOf(route any) (names []string) {
	if name := tree.Str(route, "cluster"); name != "" {
		names = append(names, name)
	}
	for _, c := range tree.Items(route, "weighted_clusters", "clusters") {
		names = append(names, tree.Str(c, "name"))
	}
	return names
}
