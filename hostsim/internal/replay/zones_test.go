package replay

import (
	"reflect"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// The delay is on the way of each request that crosses, and of no other: on idle replicas those answers come exactly so much later.
func TestZoneDelayIsOnTheWay(t *testing.T) {
	o := replayOptions(t, "round_robin")
	o.Trace.Requests = o.Trace.Requests[:40]
	for i := range o.Trace.Requests {
		o.Trace.Requests[i].At = int64(i) * 60e9 // each alone
	}
	o.Zones, o.Detail = Zones{Count: 2}, true
	without := result(t, o)
	o.Zones.Delay = 30 * time.Millisecond
	with := result(t, o)
	far := 0
	for i := range with.Served {
		a, b := without.Served[i], with.Served[i]
		if a.Replica != b.Replica || a.CachedTokens != b.CachedTokens {
			t.Fatalf("request %d: %+v without a delay, %+v with one", i, a, b)
		}
		switch later := [2]time.Duration{time.Duration(b.First - b.Queued - a.First + a.Queued), time.Duration(b.Final - b.Queued - a.Final + a.Queued)}; later {
		case [2]time.Duration{}:
		case [2]time.Duration{30 * time.Millisecond, 30 * time.Millisecond}:
			far++
		default:
			t.Errorf("request %d: first and last token come %v later", i, later)
		}
	}
	if share := float64(far) / 40; share != with.Zones.Requests || share < 0.3 || share > 0.7 {
		t.Errorf("%d of 40 came later, %+v", far, with.Zones)
	}
	if with.Zones.Far.Mean-with.Zones.Near.Mean < 15 {
		t.Errorf("across %v ms, within %v", with.Zones.Far.Mean, with.Zones.Near.Mean)
	}
}

// What crossing costs a policy decides how much crosses, for the module as for the native code; policies by load prefer the own zone
// among equals, and round robin knows no zones.
func TestZones(t *testing.T) {
	share := func(policy, cost string) float64 {
		o := replayOptions(t, policy)
		o.Zones = Zones{Count: 2, Delay: time.Millisecond}
		o.Plugin = map[string]any{"cross_zone": cost}
		native := result(t, o)
		o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
			return ours.NewWasm(t.Context(), module, configuration, workers, nil)
		}
		if wasm := result(t, o); !reflect.DeepEqual(wasm, native) {
			t.Errorf("%s, %s:\n wasm   %+v\n native %+v", policy, cost, wasm, native)
		}
		return native.Zones.Requests
	}
	free, some, much := share("cache_aware", "0s"), share("cache_aware", "100ms"), share("cache_aware", "60s")
	if free < 0.2 || some > free-0.1 || much > some || much > 0.1 {
		t.Errorf("%.2f cross for nothing, %.2f for 100 ms, %.2f for a minute", free, some, much)
	}
	if blind, load := share("round_robin", "0s"), share("join_shortest_queue", "0s"); blind < 0.4 || blind > 0.6 || load >= blind {
		t.Errorf("%.2f cross with round robin, %.2f with join_shortest_queue", blind, load)
	}
	for _, z := range []Zones{{Count: 1}, {Count: 5}, {Count: -1}, {Delay: time.Second}, {Count: 2, Delay: -1}} {
		o := replayOptions(t, "round_robin")
		o.Zones = z
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%+v is taken", z)
		}
	}
	o := replayOptions(t, "round_robin")
	o.Zones, o.Join = Zones{Count: 2}, Join{Replicas: 1, At: 1, For: 1}
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("zones go with joining replicas")
	}
}
