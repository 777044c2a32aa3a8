package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestScatterAndLinesShowWhatTheyAreGiven(t *testing.T) {
	scatter, err := Scatter("x", "y", 1, []Point{{"a", 1, 10}, {"b", 1.5, 20}}, []Level{{"bound", 30}})
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

// Marks stand where the picture has the points: on the axes' ends where the values are those, and evenly between.
func TestMarksStandWhereThePointsAre(t *testing.T) {
	plot, err := Lines(LineChart{X: "load", Y: "ms", Lines: []Line{{"a", []float64{0, 1, 2}, []float64{0, 5, 10}}}})
	if err != nil {
		t.Fatal(err)
	}
	var m marks
	if err := json.Unmarshal([]byte(plot.Marks), &m); err != nil {
		t.Fatal(err)
	}
	points := m.Series[0].Points
	if m.X != "load" || m.Y != "ms" || len(points) != 3 || points[1][2] != 1 || points[1][3] != 5 {
		t.Fatalf("%s", plot.Marks)
	}
	for i := range 2 {
		if middle := (points[0][i] + points[2][i]) / 2; points[1][i] < middle-1e-3 || points[1][i] > middle+1e-3 {
			t.Errorf("the middle point stands at %v, between %v and %v", points[1], points[0], points[2])
		}
	}
	if points[0][0] < 0 || points[2][0] > 1 || points[2][1] < 0 || points[0][1] > 1 || points[0][1] <= points[2][1] || points[0][0] >= points[2][0] {
		t.Errorf("points outside of the picture, or upside down: %v", points)
	}
	wide, err := Lines(LineChart{X: "load", Y: "ms", Right: 4, Lines: []Line{{"a", []float64{0, 1, 2}, []float64{0, 5, 10}}}})
	if err != nil {
		t.Fatal(err)
	}
	var w marks
	if err := json.Unmarshal([]byte(wide.Marks), &w); err != nil || w.Series[0].Points[2][0] > (1+points[0][0])/2+0.05 {
		t.Errorf("an axis that reaches to 4 has 2 at %v (%v)", w.Series[0].Points[2], err)
	}
	log, err := Lines(LineChart{X: "ms", Y: "share", LogX: true, Lines: []Line{{"a", []float64{1, 10, 100}, []float64{0, 1, 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(log.Marks), &m); err != nil || m.Series[0].Points[1][0]-m.Series[0].Points[0][0] < 0.4 {
		t.Errorf("on a logarithmic axis: %s %v", log.Marks, err)
	}
	if !strings.Contains(string(log.SVG), "ms (log)") {
		t.Error("the axis does not say that it is logarithmic")
	}
}

// A logarithmic axis has room around one value, and is drawn where there is none.
func TestLogarithmicAxisOfOneValue(t *testing.T) {
	for _, series := range [][]Series{{{"a", []float64{0.4, 0.4}}, {"b", []float64{0.4}}}, {{"a", []float64{1}}}, {{"a", []float64{800}}}, nil} {
		plot, err := Distribution("ms", series)
		if err != nil || !strings.Contains(string(plot.SVG), "<svg") || strings.Contains(string(plot.SVG), "NaN") {
			t.Errorf("%v: %v, %+v", series, err, plot)
		}
	}
	if _, err := Lines(LineChart{LogY: true, Lines: []Line{{"a", []float64{1, 2}, []float64{0.5, 0.5}}}}); err != nil {
		t.Error(err)
	}
}
