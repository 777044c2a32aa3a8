package replay

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// Whatever carries it, the rank that is chosen gets the request: a conversation finds what it left there, as in servers with one cache.
func TestRanksAreReached(t *testing.T) {
	hits := map[string]float64{}
	for name, engine := range map[string]func([]byte, int) (router.Engine, error){
		"native": func(c []byte, workers int) (router.Engine, error) { return ours.NewNative(c, workers) },
		"header": func(c []byte, workers int) (router.Engine, error) {
			return ours.NewWasm(t.Context(), module, c, workers, nil)
		},
		"property": func(c []byte, workers int) (router.Engine, error) {
			return ours.NewWasm(t.Context(), module, []byte(strings.Replace(string(c), "{", `{"steer":{"via":"property"},`, 1)), workers, nil)
		},
		"stale": func(c []byte, _ int) (router.Engine, error) { return ours.NewStale(c, 0, 60_000) },
	} {
		o := replayOptions(t, "cache_aware")
		o.Gateways, o.Workers, o.Ranks, o.Engine = 1, 1, 2, engine
		hits[name] = result(t, o).TokenHitRatio
	}
	if hits["header"] != hits["native"] || hits["property"] != hits["native"] || hits["stale"] < hits["native"]-0.05 {
		t.Errorf("hits %v: want those of native", hits)
	}
	o := replayOptions(t, "cache_aware")
	o.Ranks, o.Plugin = 1, map[string]any{"data_parallel_ranks": 4}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is out of range [0, 1)") {
		t.Errorf("ranks that no server has: %v", err)
	}
}
