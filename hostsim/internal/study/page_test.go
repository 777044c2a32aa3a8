package study

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/sweep/sweeptest"
	"warmroute/hostsim/internal/verdict"
)

// comparison replays policies on a trace with reuse.
func comparison(t *testing.T, policies ...string) *Replay {
	t.Helper()
	tr := sweeptest.Reuse(true)
	o := sweeptest.Options(t, tr)
	b, err := verdict.NewBounds(tr, o.Replicas, o.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return &Replay{
		Title: "A replay", Runs: sweeptest.Runs(t, tr, policies...), Bounds: &b,
		Meaning: func(name, value, _ string) string { return "a meaning of " + value },
	}
}

func TestPageIsBounded(t *testing.T) {
	page, err := comparison(t, "round_robin", "cache_aware", "prefix_hash").Page()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := page.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1<<20 {
		t.Errorf("the page of 3,000 decisions has %d bytes", b.Len())
	}
	for _, banned := range []string{"<script src", "@import", "<link rel=\"stylesheet", "http://", "https://"} {
		if at := strings.Index(b.String(), banned); at >= 0 && !strings.Contains(b.String()[at:at+60], "w3.org") {
			t.Errorf("the page holds %q: it must need nothing else", b.String()[at:at+60])
		}
	}
}
