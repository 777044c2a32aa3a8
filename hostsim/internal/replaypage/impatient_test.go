package replaypage

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

// Requests whose clients did not wait are not called rejected.
func TestPageTellsImpatientFromRejected(t *testing.T) {
	tr := sweeptest.Reuse(true)
	o := sweeptest.Options(t, tr)
	o.Policy, o.Detail, o.HangUps = "round_robin", true, replay.HangUps{Share: 0.3, After: time.Second}
	r, err := replay.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	page, err := (&Comparison{Runs: []*replay.Result{r}, Meaning: func(string, string, string) string { return "" }}).Page()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(page.Sections, func(s report.Section) bool {
		return s.Title == "Load over time" && strings.HasSuffix(s.Note, "clients do not wait are not among them.")
	}) {
		t.Error("the load over time does not say that it lacks these requests")
	}
	var data struct{ Rows [][][]any }
	if err := json.Unmarshal(page.Explorer.Data, &data); err != nil {
		t.Fatal(err)
	}
	rejected, impatient := 0, 0
	for _, row := range data.Rows[0] {
		switch prompt := row[4].(float64); {
		case prompt == 0:
			rejected++
		case prompt < 0:
			impatient++
		}
	}
	if want := len(tr.Requests) - len(r.TTFTs); rejected != 0 || r.Rejected != 0 || r.HungUp == 0 || impatient != want {
		t.Errorf("%d rejected and %d impatient on the page; want %d and %d, of which %d have hung up", rejected, impatient, r.Rejected, want, r.HungUp)
	}
}
