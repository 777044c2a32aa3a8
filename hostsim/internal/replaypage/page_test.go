package replaypage

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/sweep/sweeptest"
	"warmroute/hostsim/internal/verdict"
)

func TestPageIsBounded(t *testing.T) {
	tr := sweeptest.Reuse(true)
	o := sweeptest.Options(t, tr)
	b, err := verdict.NewBounds(&o)
	if err != nil {
		t.Fatal(err)
	}
	c := Comparison{
		Title: "A replay", Runs: sweeptest.Runs(t, tr, "round_robin", "cache_aware", "prefix_hash"), Bounds: &b,
		Meaning: func(name, value, _ string) string { return "a meaning of " + value },
	}
	page, err := c.Page()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := page.WriteHTML(&text); err != nil {
		t.Fatal(err)
	}
	if text.Len() > 1<<20 {
		t.Errorf("the page of 3,000 decisions has %d bytes", text.Len())
	}
	for _, banned := range []string{"<script src", "@import", "<link rel=\"stylesheet", "http://", "https://"} {
		if at := strings.Index(text.String(), banned); at >= 0 && !strings.Contains(text.String()[at:at+60], "w3.org") {
			t.Errorf("the page holds %q: it must need nothing else", text.String()[at:at+60])
		}
	}
}
