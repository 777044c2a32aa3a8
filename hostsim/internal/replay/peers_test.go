package replay

import (
	"reflect"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// Gateways of modules tell each other what native ones do, byte for byte, and so decide alike.
func TestGatewaysOfModules(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	o := replayOptions(t, "cache_aware")
	o.Detail = true
	apart := result(t, o)
	o.Sync = Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}
	native := result(t, o)
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
	}
	wasm := result(t, o)
	if !reflect.DeepEqual(wasm, native) {
		t.Errorf("wasm   %+v\nnative %+v", wasm, native)
	}
	if wasm.Traffic.Refused > 0 || wasm.TokenHitRatio <= apart.TokenHitRatio {
		t.Errorf("%d asks were refused; hits %.4f, and %.4f where nothing is shared", wasm.Traffic.Refused, wasm.TokenHitRatio, apart.TokenHitRatio)
	}
}
