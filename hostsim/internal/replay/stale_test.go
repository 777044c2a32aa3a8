package replay

import (
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// A directory that is always fresh finds what the module's own would, and one that is never refreshed finds nothing.
func TestStale(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Gateways, o.Workers = 1, 1
	own := result(t, o)
	hit := func(every time.Duration) float64 {
		o.Engine = func(configuration []byte, _ int) (router.Engine, error) {
			return ours.NewStale(configuration, every, o.Profile.KVTokens())
		}
		return result(t, o).TokenHitRatio
	}
	fresh, late, never := hit(0), hit(3*time.Second), hit(time.Hour)
	if fresh < own.TokenHitRatio-0.02 {
		t.Errorf("fresh: %.3f, the module's own %.3f", fresh, own.TokenHitRatio)
	}
	if !(fresh > late && late > never) {
		t.Errorf("hits: fresh %.3f, 3 s %.3f, never %.3f; want them to fall", fresh, late, never)
	}
}
