package study

import (
	"testing"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/verdict"
)

// Without the default the page says nothing of it.
func TestPoliciesWithoutTheDefault(t *testing.T) {
	at := panels[0]
	var rows []PolicyRow
	for _, speed := range at.Speeds {
		rows = append(rows, PolicyRow{at.Name, at.KVTokens, speed, &replay.Result{Policy: "round_robin", TTFT: stats.Dist{Mean: 5}}, verdict.Bounds{}, at})
	}
	page, err := PoliciesPage(rows, "a test")
	if err != nil {
		t.Fatal(err)
	}
	if page.Lead != "" || len(page.Findings) != 0 || len(page.Sections) != 1 {
		t.Errorf("lead %q, findings %q, %d sections; want the table alone", page.Lead, page.Findings, len(page.Sections))
	}
}

// How much is planned is what is asked for.
func TestPolicyRows(t *testing.T) {
	for wanted, want := range map[string]int{"": 36, "synthetic": 12, "synthetic 1536000": 6, "none": 0} {
		if got := PolicyRows(2, wanted); got != want {
			t.Errorf("two policies on %q: %d rows, want %d", wanted, got, want)
		}
	}
}
