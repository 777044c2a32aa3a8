package checks

import (
	"fmt"
	"slices"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
)

// oneRead is what Envoy may hold of a body beyond what the module waits for, in bytes.
const oneRead = 1 << 20

// byModel says whether the choice depends on the body's model: of the pool, or of endpoints that list their models.
func byModel(c *config.Config) bool {
	return c.ListsModels() || slices.ContainsFunc(c.Pools, func(p config.NamedPool) bool { return len(p.Match.Models) > 0 })
}

// heldBytes is how much of a body is held until the decision.
func heldBytes(c *config.Config) int {
	if byModel(c) {
		return inspect.ModelBytes(c) - oneRead
	}
	return inspect.HoldBytes(c)
}

// late says which bodies are routed without their model, though the choice depends on it. A buffer filter refuses them.
func (s setup) late(f *manifest.Filter, c *config.Config) []finding.Finding {
	if !byModel(c) || c.Steer.Via == config.ViaProperty && !s.Gated() {
		return nil
	}
	most := inspect.ModelBytes(c) >> 10
	return []finding.Finding{finding.Fine.At(f.Where, fmt.Sprintf("of a body above %d KiB the model counts only if it is in the first %d KiB (docs/pools.md#bodies-whose-model-comes-last)", most, most-oneRead>>10), "")}
}
