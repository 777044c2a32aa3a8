package study

import (
	"slices"
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

// The findings name the affinities that were tried, and no load where the default is the best at each.
func TestTradeoffWords(t *testing.T) {
	points := []TradeoffPoint{{Affinity: 1, Speed: 2, TTFT: 20}, {Affinity: 0.5, Speed: 2, TTFT: 30, Regret: 0.5}}
	page, err := TradeoffPage(points, "a test")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"The default, 1, is the best setting at every load.",
		"At 2 × the load, an affinity of 0.5 gives 30.0 ms with 0.0 % of the tokens found, the highest (1) 20.0 ms with 0.0 % at an imbalance of 0.00; policies by load give 0.0 ms.",
	}
	if !slices.Equal(page.Findings, want) {
		t.Errorf("%q\nwant %q", page.Findings, want)
	}
}
