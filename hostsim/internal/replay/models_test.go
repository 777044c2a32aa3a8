package replay

import (
	"testing"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// Several models are pools of the gateway: each request goes to a replica that serves its model (Run fails otherwise), and
// both engines decide alike.
func TestModels(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Models = Models{Names: []string{"a", "b"}, Adapters: 4}
	o.Profile.MaxLoRAs, o.Profile.LoRAActivate = 2, 1e9
	o.Gateways, o.Plugin = 1, map[string]any{"adapter_load": "1s"}
	o.Scrape = 1e9
	native := o.Engine
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Pools) != 2 || res.Reasons[passed] > 0 {
		t.Fatalf("pools %+v, reasons %v", res.Pools, res.Reasons)
	}
	for _, p := range res.Pools {
		if p.Requests < 100 || p.TokenHitRatio < 0.1 || p.AdapterLoads < 4 {
			t.Errorf("%+v", p)
		}
	}
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		return ours.NewWasm(t.Context(), module, configuration, workers, nil)
	}
	same, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Pools {
		if res.Pools[i] != same.Pools[i] {
			t.Errorf("native %+v\nwasm   %+v", res.Pools[i], same.Pools[i])
		}
	}
	o.Plugin = map[string]any{"adapter_load": "0s"}
	o.Engine = native
	blind, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := res.Pools[0].AdapterLoads+res.Pools[1].AdapterLoads, blind.Pools[0].AdapterLoads+blind.Pools[1].AdapterLoads; got >= want {
		t.Errorf("%d loads, %d where loading counts nothing", got, want)
	}
	o.Models.Names = []string{"a", "b", "c", "d", "e"}
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("five models on four replicas")
	}
}
