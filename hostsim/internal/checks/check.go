// Package checks says whether warmroute is set up right, by its configuration and what stands around it there. Each finding says what
// is wrong and which line of configuration cures it.
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

// setup is what is judged.
type setup struct{ *manifest.Setup }

// Judge judges what manifest.Collect has found, the worst first.
func Judge(found *manifest.Setup) []finding.Finding {
	s := setup{found}
	var out []finding.Finding
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
		out = append(out, s.certificates()...)
	}
	if len(s.Filters) > 0 && !s.Envoy {
		out = append(out, s.ruled()...)
	}
	finding.Sort(out)
	return out
}

// filter judges one module.
func (s setup) filter(f *manifest.Filter) []finding.Finding {
	if f.Fault != "" {
		return []finding.Finding{finding.Broken.At(f.Where, f.Fault, f.Cure)}
	}
	c, err := config.Parse(f.JSON)
	if err != nil {
		return refused(f)
	}
	if c.Role == config.RolePeers { // it answers other gateways, and routes nothing
		return append(s.needs(f, &c), finding.Fine.At(f.Where, "the configuration is taken: it answers other gateways", ""))
	}
	if c.Role == config.RoleGate {
		if out := s.gate(f, &c); out != nil {
			return out
		}
		return []finding.Finding{finding.Fine.At(f.Where, "the configuration is taken: it holds requests until the filter before it has chosen", "")}
	}
	out := []finding.Finding{finding.Fine.At(f.Where, fmt.Sprintf("the configuration is taken: policy %s, %s", c.Policy, sources(&c)), "")}
	if strings.HasPrefix(f.Where, manifest.ExtensionPolicy) && c.Steer.Via == config.ViaProperty && !s.Gated() && !s.Mentions("wasm.warmroute_endpoint") {
		out = append(out, finding.Broken.At(f.Where, "steer.via is property, and nothing makes it the header "+c.Steer.Header, "wasm: […, {name: gate, code: …, config: {role: gate}}]   # behind this one, as in examples/envoy-gateway"))
	}
	out = slices.Concat(out, s.pools(f, &c), s.unfit(f, &c), s.unmatched(f, &c), s.late(f, &c), s.room(f, &c), s.apart(f, &c), s.attached(f, &c))
	if c.Record && s.Envoy && !s.Mentions("wasm.warmroute_record") {
		out = append(out, finding.Weak.At(f.Where, "record is on, and no access log has the records", "%FILTER_STATE(wasm.warmroute_record:PLAIN)% in its format"))
	}
	return slices.Concat(out, s.needs(f, &c), idleSettings(f, &c), resource(f), image(f), failing(f))
}

// refused is what is wrong with a configuration that is not taken, one finding a field.
func refused(f *manifest.Filter) []finding.Finding {
	var out []finding.Finding
	faults := config.Faults(f.JSON)
	var lines *tree.Lines
	if faults[0].Field != "" { // else the JSON is broken, and its place is known
		lines = tree.LinesOf(f.JSON)
	}
	for _, fault := range faults {
		what := "the configuration is refused: "
		if line := lines.Field(fault.Field); line > 0 {
			what = fmt.Sprintf("the configuration is refused, in its line %d: ", line)
		}
		out = append(out, finding.Broken.At(f.Where, what+fault.Error(), ""))
	}
	out[len(out)-1].Cure = "plugin/config/README.md has all fields"
	if strings.HasSuffix(out[0].What, "not '/'") {
		out[0].Cure = "JSON has no comments: leave them out, or write YAML, which check and request read"
	}
	return out
}

func sources(c *config.Config) string {
	ranks := ""
	if c.DataParallelRanks > 1 {
		ranks = fmt.Sprintf(", each of %d data-parallel ranks", c.DataParallelRanks)
	}
	switch {
	case len(c.Pools) > 0:
		return finding.Plural(float64(len(c.Pools)), "pool")
	case c.Discovery.Cluster != "":
		return "endpoints discovered in cluster " + c.Discovery.Cluster + ranks
	case c.Steer.Target == config.TargetHash:
		return "by a key, without endpoints"
	}
	return finding.Plural(float64(len(manifest.Servers(&c.Pool))), "endpoint") + ranks
}
