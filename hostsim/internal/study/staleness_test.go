package study

import (
	"testing"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

func TestStaleness(t *testing.T) {
	m := loads.Usual
	m.Requests = 300
	points, err := Staleness(sweeptest.Of(t, m))
	if err != nil {
		t.Fatal(err)
	}
	page, err := StalenessPage(points, "a test")
	if err != nil {
		t.Fatal(err)
	}
	if want := (2 + 3) * len(staleIntervals); len(points) != want || len(page.Findings) != 4 {
		t.Errorf("%d points, %d findings; want %d and 4", len(points), len(page.Findings), want)
	}
}
