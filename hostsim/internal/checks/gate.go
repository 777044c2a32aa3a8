package checks

import (
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/plugin/config"
)

// gate judges one: where all modules that route by a property name another header, it writes one that nobody reads.
func (s setup) gate(f *manifest.Filter, own *config.Config) []finding.Finding {
	other := ""
	for _, c := range s.Gateways() {
		for _, p := range manifest.PoolsOf(&c) {
			if p.Steer.Via == config.ViaProperty && p.Steer.Target == own.Steer.Target {
				if p.Steer.Header == own.Steer.Header {
					return nil
				}
				other = p.Steer.Header
			}
		}
	}
	if other == "" {
		return nil
	}
	return []finding.Finding{finding.Broken.At(f.Where, "the gate writes the choice into "+own.Steer.Header+", and the module that chooses has steer.header "+other, "steer: {header: "+other+"}   # in the gate's configuration too")}
}
