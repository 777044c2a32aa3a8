package replay

import (
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
)

// Replicas that join are discovered as on a real proxy, and get requests; the module does as the native code.
func TestJoin(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Gateways, o.Scrape = 1, 1e9
	last := o.Trace.Requests[len(o.Trace.Requests)-1].At
	o.Join = Join{Replicas: 1, At: SettleIn + time.Duration(float64(last)/o.Speed/2), For: time.Hour}
	o.Plugin = map[string]any{"slow_start": "10s"}
	res := result(t, o)
	if res.Reasons[passed] > 0 || res.Join.Requests <= 0 || res.Join.Requests >= 1 || res.Join.Before.Mean <= 0 || res.Join.After.Mean <= 0 {
		t.Errorf("%+v, reasons %v", res.Join, res.Reasons)
	}
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	wasmDoes(t, loaded, o, res)
	for _, j := range []Join{{Replicas: o.Replicas, At: 1, For: 1}, {Replicas: 1, For: 1}, {Replicas: 1, At: 1}, {Replicas: -1, At: 1, For: 1}} {
		o.Join = j
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%+v is taken", j)
		}
	}
}
