package checks

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/plugin/config"
)

// ranked judges whether the rank that is chosen becomes the header by which the server knows it.
func (s setup) ranked(f *manifest.Filter, p *config.Pool) []finding.Finding {
	if p.DataParallelRanks < 2 || p.Steer.Via != config.ViaProperty || !s.Envoy && len(s.Patches) == 0 && !strings.HasPrefix(f.Where, manifest.ExtensionPolicy) {
		return nil
	}
	switch gates := s.Gates(); {
	case slices.ContainsFunc(gates, func(c config.Config) bool { return c.DataParallelRanks > 1 }):
		return nil
	case len(gates) > 0 && slices.ContainsFunc(s.Managers, func(m map[string]any) bool { return removes(m, config.RankHeader) }):
		return nil
	case len(gates) > 0:
		return []finding.Finding{finding.Weak.At(f.Where, "clients name their own rank by "+config.RankHeader+" while the module before the gate does not run", fmt.Sprintf("{role: gate, data_parallel_ranks: %d}", p.DataParallelRanks))}
	case s.CarriesRank(p):
		return nil
	}
	return []finding.Finding{finding.Broken.At(f.Where, fmt.Sprintf("data_parallel_ranks is %d and steer.via is property, and %s", p.DataParallelRanks, RankUncarried), RankMutation)}
}

// What is wrong where nothing carries a rank to its server, and the cure.
const (
	RankUncarried = "no filter makes the rank the header " + config.RankHeader + ": servers choose ranks themselves, by load"
	RankMutation  = "- append: {header: {key: " + config.RankHeader + `, value: "%FILTER_STATE(` + manifest.RankState + `:PLAIN)%"}, append_action: OVERWRITE_IF_EXISTS_OR_ADD}   # in the header_mutation filter, as in examples/envoy/property.yaml`
)
