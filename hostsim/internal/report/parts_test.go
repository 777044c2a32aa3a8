package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestScatterAndLinesShowWhatTheyAreGiven(t *testing.T) {
	scatter, err := Scatter("x", "y", []Point{{"a", 1, 10}, {"b", 1.5, 20}}, []Level{{"bound", 30}})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Lines(LineChart{X: "x", Y: "y", Dots: true, Signed: true, Lines: []Line{{"a", []float64{1, 2}, []float64{-3, 4}}, {"b", []float64{1, 2}, []float64{0, 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		plot *Plot
		want []string
	}{"scatter": {scatter, []string{"bound", "a", "b"}}, "lines": {lines, []string{"a", "b"}}} {
		var names []string
		for _, k := range c.plot.Legend {
			names = append(names, k.Name)
		}
		if !slices.Equal(names, c.want) || !strings.Contains(string(c.plot.SVG), "<svg") || strings.Contains(string(c.plot.SVG), "NaN") {
			t.Errorf("%s: legend %v, want %v; %.200s", name, names, c.want, c.plot.SVG)
		}
	}
	if _, err := Lines(LineChart{LogX: true, Lines: []Line{{"a", []float64{0, 1}, []float64{1, 1}}}}); err == nil {
		t.Error("0 on a logarithmic axis: no error")
	}
}

// The size of a plot does not grow with the values in it.
func TestDistributionIsBounded(t *testing.T) {
	few, many := make([]float64, 1000), make([]float64, 100_000)
	for i := range many {
		many[i] = float64(i + 1)
	}
	copy(few, many)
	small, err := Distribution("x", []Series{{"s", few}})
	if err != nil {
		t.Fatal(err)
	}
	large, err := Distribution("x", []Series{{"s", many}})
	if err != nil {
		t.Fatal(err)
	}
	if len(large.SVG) > 2*len(small.SVG) {
		t.Errorf("1,000 values take %d bytes, 100,000 take %d", len(small.SVG), len(large.SVG))
	}
}

func TestExplorerIsBounded(t *testing.T) {
	choices := make([][]Choice, 3)
	for p := range choices {
		choices[p] = make([]Choice, 20_000)
		for i := range choices[p] {
			choices[p][i] = Choice{TTFT: float64(i % 100), PromptTokens: 10, CachedTokens: i % 10, Decision: fmt.Sprintf("policy=p;reason=match;endpoint=a;matched=%d;blocks=9", i%9)}
		}
	}
	choices[1][7777].TTFT = 1e6 // the slowest of a policy is among those kept
	x, err := NewExplorer([]string{"a", "b", "c"}, choices, func(name, _, _ string) string { return "about " + name })
	if err != nil {
		t.Fatal(err)
	}
	var data explorerData
	if err := json.Unmarshal(x.Data, &data); err != nil {
		t.Fatal(err)
	}
	if n := len(data.Requests); n*3 > maxChoices || n < maxChoices/3*9/10 || !slices.Contains(data.Requests, 7777) || !slices.IsSorted(data.Requests) {
		t.Errorf("%d requests are kept, request 7777 %v", n, slices.Contains(data.Requests, 7777))
	}
	if len(x.Data) > 3<<20 {
		t.Errorf("the data has %d bytes", len(x.Data))
	}
	if want := []string{"reason", "matched", "blocks"}; len(data.Shapes) != 1 || !slices.Equal(data.Shapes[0], want) || data.Meanings["matched"] != "about matched" {
		t.Errorf("shapes %v, meanings %v", data.Shapes, data.Meanings)
	}
}

func TestCellColors(t *testing.T) {
	for good, want := range map[float64]string{0: "#ffffff", 1: "#3f95c5", -1: "#df863f"} {
		if got := string(Cell{Good: good}.Background()); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s, want %s", good, got, want)
		}
	}
}
