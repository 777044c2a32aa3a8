package replay

import (
	"testing"
	"time"
)

// Replicas that join are discovered as on a real proxy, and get requests. The engines are not compared: where a page is answered in
// the tick that asks for it, another worker knows the new replica a tick earlier.
func TestJoin(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Gateways, o.Scrape = 1, 1e9
	last := o.Trace.Requests[len(o.Trace.Requests)-1].At
	o.Join = Join{Replicas: 1, At: settleIn + time.Duration(float64(last)/o.Speed/2), For: time.Hour}
	o.Plugin = map[string]any{"slow_start": "10s"}
	engines := map[string]func([]byte, int) (Engine, error){"native": o.Engine, "wasm": func(configuration []byte, workers int) (Engine, error) {
		return NewWasm(t.Context(), module, configuration, workers, nil)
	}}
	for name, engine := range engines {
		o.Engine = engine
		res, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if res.Reasons[passed] > 0 || res.Join.Requests <= 0 || res.Join.Requests >= 1 || res.Join.Before.Mean <= 0 || res.Join.After.Mean <= 0 {
			t.Errorf("%s: %+v, reasons %v", name, res.Join, res.Reasons)
		}
	}
	for _, j := range []Join{{Replicas: o.Replicas, At: 1, For: 1}, {Replicas: 1, For: 1}, {Replicas: 1, At: 1}, {Replicas: -1, At: 1, For: 1}} {
		o.Join = j
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%+v is taken", j)
		}
	}
}
