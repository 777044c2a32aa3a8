package doctor

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/plugin/config"
)

// Check judges what Collect has found.
func (s *Setup) Check() []Finding {
	var out []Finding
	for i := range s.Filters {
		f := &s.Filters[i]
		for _, found := range s.filter(f) {
			if f.File != "" && found.Where == f.Where {
				found.Where = f.File + ": " + f.Where
			}
			out = append(out, found)
		}
	}
	if len(s.Filters) > 0 && s.Envoy {
		out = append(out, s.surroundings()...)
		out = append(out, s.absent()...)
	}
	Sort(out)
	return out
}

// filter judges one module.
func (s *Setup) filter(f *Filter) []Finding {
	if f.Fault != "" {
		return []Finding{{Broken, f.Where, f.Fault, f.Cure}}
	}
	c, err := config.Parse(f.JSON)
	if err != nil {
		return f.refused()
	}
	if c.Role == config.RolePeers { // it answers other gateways, and routes nothing
		return append(s.needs(f, &c), Finding{Fine, f.Where, "the configuration is taken: it answers other gateways", ""})
	}
	if c.Role == config.RoleGate {
		return []Finding{{Fine, f.Where, "the configuration is taken: it holds requests until the filter before it has chosen", ""}}
	}
	out := []Finding{{Fine, f.Where, fmt.Sprintf("the configuration is taken: policy %s, %s", c.Policy, sources(&c)), ""}}
	if strings.HasPrefix(f.Where, extensionPolicy) && c.Steer.Via == config.ViaProperty && !s.gated() && !s.mentions("wasm.warmroute_endpoint") {
		out = append(out, Finding{Broken, f.Where, "steer.via is property, and nothing makes it the header " + c.Steer.Header, "wasm: […, {name: gate, code: …, config: {role: gate}}]   # behind this one, as in examples/envoy-gateway"})
	}
	out = append(append(out, s.pools(f, &c)...), s.unfit(f, &c)...)
	if c.Record && s.Envoy && !s.mentions("wasm.warmroute_record") {
		out = append(out, Finding{Weak, f.Where, "record is on, and no access log has the records", "%FILTER_STATE(wasm.warmroute_record:PLAIN)% in its format"})
	}
	return slices.Concat(out, s.needs(f, &c), f.idle(&c), f.resource(), f.image(), f.failing())
}

// refused is what is wrong with a configuration that is not taken, one finding a field.
func (f *Filter) refused() []Finding {
	var out []Finding
	faults := config.Faults(f.JSON)
	var lines *lineWalk
	if faults[0].Field != "" { // else the JSON is broken, and its place is known
		lines = linesOf(f.JSON)
	}
	for _, fault := range faults {
		what := "the configuration is refused: "
		if line := lines.field(fault.Field); line > 0 {
			what = fmt.Sprintf("the configuration is refused, in its line %d: ", line)
		}
		out = append(out, Finding{Broken, f.Where, what + fault.Error(), ""})
	}
	out[len(out)-1].Cure = "plugin/config/README.md has all fields"
	if strings.HasSuffix(out[0].What, "not '/'") {
		out[0].Cure = "JSON has no comments: leave them out, or write YAML, which check and request read"
	}
	return out
}

// pools judges a module's pools. What several have in common is said once.
func (s *Setup) pools(f *Filter, c *config.Config) []Finding {
	out := s.flag(f, &c.Pool) // all pools have the same steer.via
	pools := s.steered(c)
	for i := range pools {
		p := &pools[i]
		all := slices.Concat(s.names(f, p), s.patched(f, p), s.ranked(f, p))
		if s.Envoy {
			all = append(all, s.steering(f, p)...)
		}
		for _, one := range all {
			if !slices.ContainsFunc(out, func(said Finding) bool { return said.What == one.What && said.Cure == one.Cure }) {
				out = append(out, one)
			}
		}
	}
	return out
}

// fetched says whether the module comes over the network, by Envoy or by Istio's agent: then FAIL_OPEN is what lets requests pass
// while it cannot be had (istio/README.md).
func (f *Filter) fetched() bool {
	return member(f.Wasm, "vm_config", "code", "remote") != nil || strings.Contains(str(f.Wasm, "vm_config", "code", "local", "filename"), "/istio/")
}

func orNone(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}

func sources(c *config.Config) string {
	ranks := ""
	if c.DataParallelRanks > 1 {
		ranks = fmt.Sprintf(", each of %d data-parallel ranks", c.DataParallelRanks)
	}
	switch {
	case len(c.Pools) > 0:
		return plural(float64(len(c.Pools)), "pool")
	case c.Discovery.Cluster != "":
		return "endpoints discovered in cluster " + c.Discovery.Cluster + ranks
	case c.Steer.Target == config.TargetHash:
		return "by a key, without endpoints"
	}
	return plural(float64(len(servers(&c.Pool))), "endpoint") + ranks
}

// gated says whether a filter of the role gate holds requests.
func (s *Setup) gated() bool { return len(s.gates()) > 0 }

// gates are the configurations of the filters of that role.
func (s *Setup) gates() []config.Config { return s.ofRole(config.RoleGate) }
