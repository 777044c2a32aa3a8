package report

import (
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a named point of a scatter plot.
type Point struct {
	Name string
	X, Y float64
}

// Level is a horizontal line across a scatter plot.
type Level struct {
	Name string
	Y    float64
}

// Scatter draws named points, each in its own colour, and dashed levels to compare them with.
func Scatter(x, y string, points []Point, levels []Level) (*Plot, error) {
	out := &Plot{}
	p := blank(x, y)
	least, most, top := math.Inf(1), math.Inf(-1), 0.0
	for _, at := range points {
		least, most, top = min(least, at.X), max(most, at.X), max(top, at.Y)
	}
	span := max(most-least, 0.02)
	p.X.Min, p.X.Max = least-span*0.06, most+span*0.06
	for i, l := range levels {
		line, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: l.Y}, {X: p.X.Max, Y: l.Y}})
		if err != nil {
			return nil, err
		}
		look, key := style(len(palette)+len(palette)-1-i, l.Name)
		line.LineStyle = look
		p.Add(line)
		out.Legend = append(out.Legend, key)
		top = max(top, l.Y)
	}
	for i, at := range points {
		dots, err := plotter.NewScatter(plotter.XYs{{X: at.X, Y: at.Y}})
		if err != nil {
			return nil, err
		}
		look, key := style(i%len(palette), at.Name)
		dots.GlyphStyle = draw.GlyphStyle{Color: look.Color, Radius: vg.Points(4.5), Shape: draw.CircleGlyph{}}
		if i >= len(palette) {
			dots.GlyphStyle.Shape = draw.PyramidGlyph{}
			key.Name += " ▲"
		}
		p.Add(dots)
		out.Legend = append(out.Legend, key)
	}
	p.Y.Min, p.Y.Max = 0, top*1.06
	var err error
	out.SVG, err = svg(p, false)
	return out, err
}
