package report

import (
	"fmt"
	"html/template"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Lines draws each series over its index: Values[i] is at x = i. A series without values is left out.
func Lines(x, y string, series []Series) (*Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Y.Min = 0
	p.Add(plotter.NewGrid())
	var legend []Key
	for i, s := range series {
		if len(s.Values) == 0 {
			continue
		}
		points := make(plotter.XYs, len(s.Values))
		for at, v := range s.Values {
			points[at] = plotter.XY{X: float64(at), Y: v}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		c := palette[i%len(palette)]
		line.Width, line.Color = vg.Points(1.5), c
		p.Add(line)
		legend = append(legend, Key{s.Name, template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))})
	}
	picture, err := svg(p, 21*vg.Centimeter, 7*vg.Centimeter)
	return &Plot{picture, legend}, err
}
