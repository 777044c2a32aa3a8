package report

import (
	"encoding/json"
	"html/template"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// marks are what a reader can point at in a plot: the points of each series, where they stand and what they are.
type marks struct {
	X      string        `json:"x"` // labels of the axes
	Y      string        `json:"y"`
	Steps  bool          `json:"steps,omitempty"` // each value holds until the next
	Series []markedLines `json:"series"`          // in the order of the legend
}

type markedLines struct {
	Name   string      `json:"name"`
	Points [][]float64 `json:"points"` // across and down, as shares of the picture; x and y
}

// add notes a series by its values. Where they stand is known when the plot is drawn.
func (m *marks) add(name string, x, y []float64) {
	s := markedLines{Name: name}
	for i := range x {
		s.Points = append(s.Points, []float64{0, 0, x[i], y[i]})
	}
	m.Series = append(m.Series, s)
}

// place computes where the points stand in a picture of that canvas, width and height.
func (m *marks) place(p *plot.Plot, area draw.Canvas, width, height float64) {
	inner := p.DataCanvas(area)
	across, up := p.Transforms(&inner)
	share := func(v float64) float64 { return math.Round(v*1e4) / 1e4 }
	for _, s := range m.Series {
		for _, point := range s.Points {
			point[0] = share(float64(across(point[2])) / width)
			point[1] = share(1 - float64(up(point[3]))/height)
			for i := 2; i < 4; i++ {
				point[i] = round(point[i])
			}
		}
	}
}

// round keeps five significant digits.
func round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-4)
	return math.Round(v/unit) * unit
}

// text is the marks as JSON for the page's script.
func (m *marks) text() template.JS {
	text, err := json.Marshal(m)
	if err != nil {
		return "null" // numbers that JSON has not; the picture is whole without
	}
	return template.JS(text)
}
