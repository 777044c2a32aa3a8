package report

import (
	"strings"
	"testing"
)

func TestTableText(t *testing.T) {
	table := Table{Title: "Speed", Columns: []string{"mode", "mean ms"}, Rows: [][]string{{"random", "12.0"}, {"hash", "1.5"}}}
	var b strings.Builder
	if err := table.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := "Speed\n  mode    mean ms\n  random     12.0\n  hash        1.5\n\n"
	if b.String() != want {
		t.Errorf("got\n%q, want\n%q", b.String(), want)
	}
}

func TestPageIsSelfContained(t *testing.T) {
	plot, err := Distribution("ms", []Series{{"random", []float64{3, 1, 200}}, {"hash", []float64{1, 1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	page := Page{Title: "A <page>", Lead: "It helps.", Sections: []Section{{Table: Table{
		Title: "T", Columns: []string{"a", "b"}, Rows: [][]string{{"x", "1"}}}, Plot: plot}}}
	var b strings.Builder
	if err := page.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"A &lt;page&gt;", "<td>x</td>", "<svg", "random", "hash"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, banned := range []string{"<script src", "src=", "@import", "stylesheet", "<?xml"} {
		if strings.Contains(got, banned) {
			t.Errorf("the page holds %q: it must need nothing else", banned)
		}
	}
}

func TestDistributionRefusesWhatALogAxisCannotShow(t *testing.T) {
	for _, values := range [][]float64{nil, {0, 1}, {-1}} {
		if _, err := Distribution("x", []Series{{"s", values}}); err == nil {
			t.Errorf("values %v: no error", values)
		}
	}
}

// A policy has one colour on every page, whatever stands beside it; those of other projects are dashed.
func TestPolicyColors(t *testing.T) {
	for i := range 9 {
		look, key := style(i, "cache_aware")
		if key.Color != Color(2) || len(look.Dashes) > 0 || ColorOf(i, "cache_aware") != Color(2) {
			t.Errorf("as series %d, cache_aware is %s", i, key.Color)
		}
	}
	if _, key := style(3, "replica 3"); key.Color != Color(3) {
		t.Errorf("another series is %s", key.Color)
	}
	if _, key := style(0, "peer:llmd"); !key.Dashed {
		t.Error("another project's policy is not dashed")
	}
}
