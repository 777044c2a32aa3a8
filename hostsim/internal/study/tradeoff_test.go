package study

import (
	"testing"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

func TestTradeoff(t *testing.T) {
	m := loads.Usual
	m.Requests = 300
	points, err := Tradeoff(sweeptest.Of(t, m), []float64{0, 1, 8}, []float64{0.5, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 6 || points[0].Hit >= points[1].Hit {
		t.Errorf("%+v: want more found with affinity than without", points)
	}
	if a, regret := robust([]TradeoffPoint{{Affinity: 0, Regret: 0.4}, {Affinity: 1, Regret: 0.1}, {Affinity: 0, Regret: 0}, {Affinity: 1, Regret: 0.2}}); a != 1 || regret != 0.2 {
		t.Errorf("robust: %v at %v, want 1 at 0.2", a, regret)
	}
	if _, err := TradeoffPage(points, "a test"); err != nil {
		t.Error(err)
	}
}
