package verdict

import (
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

// The bound of a fleet's memory is of all of it: that of the hosts, and of the second half of the replicas, too.
func TestBoundsAreOfAllMemory(t *testing.T) {
	tr := sweeptest.Reuse(true)
	little := sweeptest.Options(t, tr)
	small, err := replay.Fit(little.Profile, tr, 6000)
	if err != nil {
		t.Fatal(err)
	}
	large := little.Profile
	little.Profile = small
	host, mixed := little, little
	host.KeepInHost(20)
	mixed.Second = &large
	base, err := NewBounds(&little)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]replay.Options{"host": host, "mixed": mixed} {
		b, err := NewBounds(&o)
		if err != nil {
			t.Fatal(err)
		}
		o.Policy = contender.Default
		r, err := replay.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.TokenHitRatio > b.Pooled || b.Recent <= base.Recent || r.TokenHitRatio <= base.Pooled {
			t.Errorf("%s: found %v; bounds %+v, of the small memory alone %+v", name, r.TokenHitRatio, b, base)
		}
	}
}
