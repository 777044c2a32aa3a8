package checks

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// beside names filters that route in one VM to different endpoints: they share what workers of one pool share, and know each other's
// endpoints by no name.
func (s setup) beside() (out []finding.Finding) {
	lists := map[string]string{} // by VM
	first := map[string]*manifest.Filter{}
	for i := range s.Filters {
		f := &s.Filters[i]
		c, err := config.Parse(f.JSON)
		if err != nil || f.Wasm == nil || c.Role != config.RoleGateway || len(c.Pools) > 0 || c.Steer.Target == config.TargetHash {
			continue
		}
		vm, list := tree.Str(f.Wasm, "vm_config", "vm_id"), endpointsOf(&c)
		if first[vm] == nil {
			first[vm], lists[vm] = f, list
		} else if lists[vm] != list {
			also := ""
			if c.Peers.Cluster != "" {
				also = ", and one of them has no news of other gateways"
			}
			out = append(out, finding.Weak.At(f.Where, "it routes in the same VM as "+first[vm].Where+", to other endpoints: neither counts the other's load, and their gauges take turns"+also,
				"one filter with pools, in all listeners; or a vm_id for each"))
			lists[vm] = list // said once
		}
	}
	return out
}

// endpointsOf is what an only pool's endpoints are, whatever their order.
func endpointsOf(c *config.Config) string {
	var all []string
	for _, e := range c.Endpoints {
		all = append(all, e.Address)
	}
	slices.Sort(all)
	return c.Discovery.Cluster + " " + strings.Join(all, " ")
}
