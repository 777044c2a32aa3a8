package checks

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// routesBeside is the first filter before f that routes in f's VM, and is so; nil: there is none. A running Envoy has former configurations,
// too, until they have drained.
func (s setup) routesBeside(f *manifest.Filter, is func(*manifest.Filter, *config.Config) bool) *manifest.Filter {
	if s.Running || f.Wasm == nil {
		return nil
	}
	id := tree.Str(f.Wasm, "vm_config", "vm_id")
	for other, c := range s.routers() {
		if other == f {
			break
		}
		if other.Wasm != nil && tree.Str(other.Wasm, "vm_config", "vm_id") == id && is(other, c) {
			return other
		}
	}
	return nil
}

// routers are the filters that route, and their configurations.
func (s setup) routers() iter.Seq2[*manifest.Filter, *config.Config] {
	return func(yield func(*manifest.Filter, *config.Config) bool) {
		for i := range s.Filters {
			if c, err := config.Parse(s.Filters[i].JSON); err == nil && c.Role == config.RoleGateway && !yield(&s.Filters[i], &c) {
				return
			}
		}
	}
}

// takenFor is the first filter before f that the module cannot tell from f but by its configuration; nil: there is none.
func (s setup) takenFor(f *manifest.Filter) *manifest.Filter {
	return s.routesBeside(f, func(other *manifest.Filter, _ *config.Config) bool {
		return tree.Str(other.Wasm, "name") == tree.Str(f.Wasm, "name") && !bytes.Equal(other.JSON, f.JSON)
	})
}

// apartFrom is the first filter before f, whose configuration c is, that routes to other endpoints in the same VM: they share what workers of one
// pool share, and know each other's endpoints by no name. nil: there is none.
func (s setup) apartFrom(f *manifest.Filter, c *config.Config) *manifest.Filter {
	if !onlyPool(c) {
		return nil
	}
	list := endpointsOf(c)
	return s.routesBeside(f, func(_ *manifest.Filter, other *config.Config) bool {
		return onlyPool(other) && endpointsOf(other) != list
	})
}

// onlyPool says whether a configuration has one pool, which has endpoints.
func onlyPool(c *config.Config) bool { return len(c.Pools) == 0 && c.Steer.Target != config.TargetHash }

// endpointsOf is what an only pool's endpoints are, whatever their order.
func endpointsOf(c *config.Config) string {
	var all []string
	for _, e := range c.Endpoints {
		all = append(all, e.Address)
	}
	slices.Sort(all)
	return c.Discovery.Cluster + " " + strings.Join(all, " ")
}
