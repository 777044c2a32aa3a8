package worker

import (
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

// Where endpoints are at their bounds of load, other gateways that wait for news are woken by the end of a response, however it ended:
// they count it as under way until they know. Elsewhere they need not know at once.
func TestEndWakesGateways(t *testing.T) {
	const queue = 7
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"],"scrape":{"path":""},"peers":{"cluster":"gateways","addresses":["10.2.0.1:80","10.2.0.2:80"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	shared, woken := memstore.New(), []uint32(nil)
	w, err := New(&cfg, shared, deaf{}, cfg.Seed, second)
	if err != nil {
		t.Fatal(err)
	}
	w.JoinGateways(someSecrets, 1, func(queue uint32) { woken = append(woken, queue) })
	for _, c := range []struct{ bound, left bool }{{false, false}, {true, false}, {true, true}} {
		x := ask(t, w, "Hello", second)
		if n := w.pools[0].known.InFlight(0); n != 1 {
			t.Fatalf("%d requests under way, want 1", n)
		}
		w.pools[0].known.SetGatewayPlace(0, 2) // as it is once both have been asked
		if woken = nil; c.bound {
			w.pools[0].known.NoteAtBound()
		}
		share.Arm(shared, queue, 0)
		x.End(2*second, c.left)
		if c.bound != slices.Contains(woken, queue) {
			t.Errorf("%+v: the queues that are woken: %v", c, woken)
		}
	}
}
