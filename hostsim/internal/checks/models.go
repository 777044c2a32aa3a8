package checks

import (
	"fmt"
	"slices"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/plugin/config"
)

// byModel says whether the choice depends on the body's model: of the pool, or of endpoints that list their models.
func byModel(c *config.Config) bool {
	return c.ListsModels() || slices.ContainsFunc(c.Pools, func(p config.NamedPool) bool { return len(p.Match.Models) > 0 })
}

// heldBytes is how much of a body is held until the decision.
func heldBytes(c *config.Config) int {
	if byModel(c) {
		return c.ModelBytes() - config.OneRead
	}
	return c.HoldBytes()
}

// late says which bodies are routed without their model, though the choice depends on it. A buffer filter refuses them.
func (s setup) late(f *manifest.Filter, c *config.Config) []finding.Finding {
	if !byModel(c) || c.Steer.Via == config.ViaProperty && !s.Gated() {
		return nil
	}
	most := c.ModelBytes() >> 10
	return []finding.Finding{finding.Fine.At(f.Where, fmt.Sprintf("of a body above %d KiB the model counts only if it is in the first %d KiB (docs/pools.md#bodies-whose-model-comes-last)", most, most-config.OneRead>>10), "")}
}
