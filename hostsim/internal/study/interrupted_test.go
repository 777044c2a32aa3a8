package study

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

// What is whole when a study is interrupted is kept, and can be shown.
func TestInterrupted(t *testing.T) {
	m := loads.Usual
	m.Requests = 100
	shown := func(name string, page *report.Page, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		var b strings.Builder
		if err := page.WriteHTML(&b); err != nil || page.Lead == "" {
			t.Errorf("%s: lead %q, %v", name, page.Lead, err)
		}
	}
	points, err := Tradeoff(sweeptest.Interrupted(t, m, 7), []float64{0, 1}, []float64{0.5, 1}, 1) // a load takes five replays
	if !errors.Is(err, context.Canceled) || len(points) != 2 {
		t.Errorf("tradeoff: %d points, %v; want the two of the first load", len(points), err)
	}
	page, err := TradeoffPage(points, "a test")
	shown("tradeoff", page, err)
	stale, err := Staleness(sweeptest.Interrupted(t, m, len(staleIntervals)+1))
	if !errors.Is(err, context.Canceled) || len(stale) != len(staleIntervals) {
		t.Errorf("staleness: %d points, %v; want those of the first policy", len(stale), err)
	}
	page, err = StalenessPage(stale, "a test")
	shown("staleness", page, err)
	page, err = WorkloadPage([]WorkloadPoint{{Factor: "reuse", Ours: 1, ByLoad: 2}}, sweeptest.Interrupted(t, m, 0).Base.Profile, 4)
	shown("workload", page, err)
	if n := len(page.Findings); n != 1 {
		t.Errorf("workload: %d findings of one factor", n)
	}
}
