package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Series is one named run of values.
type Series struct {
	Name   string
	Values []float64
}

// The palette is Okabe and Ito's, which people with any colour vision can tell apart ("Color Universal Design", 2008).
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
}

// Plot is a picture with its legend, which is HTML: text within the picture is as wide as the reader's font makes it.
type Plot struct {
	SVG    template.HTML
	Legend []Key
}

// Key says which colour a series has, as CSS.
type Key struct {
	Name  string
	Color template.CSS
}

// Distribution draws the empirical cumulative distribution of each series on a logarithmic axis. Values must be above
// 0; x is the axis label with its unit.
func Distribution(x string, series []Series) (*Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, "share of requests"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min, p.Y.Max = 0, 1
	p.Add(plotter.NewGrid())
	var legend []Key
	for i, s := range series {
		points, err := steps(s)
		if err != nil {
			return nil, err
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		line.StepStyle = plotter.PostStep
		c := palette[i%len(palette)]
		line.Width, line.Color = vg.Points(1.8), c
		p.Add(line)
		legend = append(legend, Key{s.Name, template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))})
	}
	picture, err := svg(p, 21*vg.Centimeter, 8*vg.Centimeter)
	return &Plot{picture, legend}, err
}

// steps are the corners of a series' cumulative distribution.
func steps(s Series) (plotter.XYs, error) {
	values := slices.Sorted(slices.Values(s.Values))
	if len(values) == 0 || values[0] <= 0 {
		return nil, fmt.Errorf("%s: a distribution on a logarithmic axis needs values above 0", s.Name)
	}
	points := make(plotter.XYs, len(values))
	for i, v := range values {
		points[i] = plotter.XY{X: v, Y: float64(i+1) / float64(len(values))}
	}
	return points, nil
}

// svg renders p without the XML prologue, so that it can stand inside HTML, and lets it shrink with the page.
func svg(p *plot.Plot, width, height vg.Length) (template.HTML, error) {
	writer, err := p.WriterTo(width, height, "svg")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if _, err := writer.WriteTo(&b); err != nil {
		return "", err
	}
	text := b.String()
	return template.HTML(text[strings.Index(text, "<svg"):]), nil
}
