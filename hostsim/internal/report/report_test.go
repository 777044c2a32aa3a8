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
