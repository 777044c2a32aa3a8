package report

import (
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	p, err := Lines("s", "requests", []Series{{"random", []float64{0, 3, 2}}, {"none", nil}, {"hash", []float64{1}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Legend) != 2 || p.Legend[1].Name != "hash" || !strings.HasPrefix(string(p.SVG), "<svg") {
		t.Errorf("legend %v, picture %.20q", p.Legend, p.SVG)
	}
	if p.Legend[0].Color == p.Legend[1].Color {
		t.Error("two series have one colour")
	}
}
