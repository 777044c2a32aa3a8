package report

import (
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

// Scatter draws named points, each in its own colour, and dashed levels to compare them with. The x axis begins at from, or at the least
// value below it, and reaches at least twice from, so that small differences look small; the y axis begins at 0.
func Scatter(x, y string, from float64, points []Point, levels []Level) (*Plot, error) {
	out := &Plot{}
	p := blank(x, y)
	values := &marks{X: x, Y: y}
	least, most, top := from, 2*from, 0.0
	for _, at := range points {
		least, most, top = min(least, at.X), max(most, at.X), max(top, at.Y)
	}
	p.X.Min, p.X.Max = least, most+(most-least)*0.04
	for i, l := range levels {
		line, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: l.Y}, {X: p.X.Max, Y: l.Y}})
		if err != nil {
			return nil, err
		}
		look, key := style(len(palette)+len(palette)-1-i, l.Name)
		line.LineStyle = look
		p.Add(line)
		out.Legend = append(out.Legend, key)
		values.add(l.Name, []float64{p.X.Min, p.X.Max}, []float64{l.Y, l.Y})
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
		values.add(key.Name, []float64{at.X}, []float64{at.Y})
	}
	p.Y.Min, p.Y.Max = 0, top*1.06
	return out, out.draw(p, values)
}
