package replay

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// Pauses in a trace, in which workers tick seldom, are the same to both engines.
func TestPausesAreTheSameOnBothEngines(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Gateways, o.Workers, o.Scrape, o.Detail = 1, 3, time.Second, true
	tr := *o.Trace
	tr.Requests = slices.Clone(tr.Requests[:120])
	for i := range tr.Requests {
		tr.Requests[i].At += int64(i/10) * 17_300e6 // and up to a minute and a half before the last ones
		if i >= 100 {
			tr.Requests[i].At += 90e9
		}
	}
	o.Trace = &tr
	native := result(t, o)
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		return ours.NewWasm(t.Context(), module, configuration, workers, nil)
	}
	if wasm := result(t, o); !reflect.DeepEqual(wasm, native) {
		t.Errorf("wasm   %+v\nnative %+v", wasm.TTFT, native.TTFT)
	}
}

// The module has the proxy call it once a second while no request comes, and often from the next request on.
func TestIdleModuleTicksSeldom(t *testing.T) {
	for _, name := range []string{"wasm", "native"} {
		t.Run(name, func(t *testing.T) {
			configuration := []byte(`{"seed":1,"decide_timeout":"1s","endpoints":["10.0.0.1:8000"],"scrape":{"path":""}}`)
			var e router.Engine
			var err error
			if e, err = ours.NewNative(configuration, 1); name == "wasm" {
				e, err = ours.NewWasm(t.Context(), module, configuration, 1, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			ticks := func(from, to int64) (n int) {
				for at, _ := e.Next(); at <= to*1e9; at, _ = e.Next() {
					if e.Advance(at); at > from*1e9 {
						n++
					}
				}
				e.Advance(to * 1e9)
				return n
			}
			if n := ticks(0, 9); n != 45 {
				t.Errorf("%d ticks in the first 9 s, want 45", n)
			}
			if n := ticks(20, 30); n != 10 {
				t.Errorf("%d ticks in 10 s without requests, want 10", n)
			}
			if _, err := e.Begin(0, &router.Request{Path: "/v1/completions", Body: []byte(`{"model":"m","prompt":"Hello"}`)}); err != nil {
				t.Fatal(err)
			}
			if n := ticks(30, 40); n != 50 {
				t.Errorf("%d ticks in 10 s from a request on, want 50", n)
			}
		})
	}
}
