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
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Series is one named run of values.
type Series struct {
	Name   string
	Values []float64
}

// The palette is Okabe and Ito's, which people with any colour vision can tell apart ("Color Universal Design", 2008);
// series beyond it are dashed.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x44, 0x44, 0x44, 0xff},
}

// Plot is a picture with its legend. The legend is HTML, because the width of text within the picture depends on the
// reader's fonts.
type Plot struct {
	Title  string // above the picture; may be empty
	SVG    template.HTML
	Legend []Key
	Half   bool        // half as wide, so that two fit side by side
	Marks  template.JS // the values, for whoever points at them
}

// Key is the colour of a series, as CSS. Dashed is set for series beyond the palette.
type Key struct {
	Name   string
	Color  template.CSS
	Dashed bool
}

const (
	fullWidth  = 21 * vg.Centimeter
	halfWidth  = 10.2 * vg.Centimeter
	fullHeight = 8 * vg.Centimeter
	halfHeight = 5.2 * vg.Centimeter
)

// distributionSteps bounds the corners of a drawn distribution; more would not be visible.
const distributionSteps = 240

// Distribution draws the empirical cumulative distribution of each series on a logarithmic axis. Values must be above
// 0; x is the axis label with its unit.
func Distribution(x string, series []Series) (*Plot, error) {
	var lines []Line
	for _, s := range series {
		l, err := steps(s)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return Lines(LineChart{X: x, Y: "share of requests", LogX: true, Top: 1, Steps: true, Lines: lines})
}

// steps are the corners of a series' cumulative distribution, at most distributionSteps of them.
func steps(s Series) (Line, error) {
	values := slices.Sorted(slices.Values(s.Values))
	if len(values) == 0 || values[0] <= 0 {
		return Line{}, fmt.Errorf("%s: a distribution on a logarithmic axis needs values above 0", s.Name)
	}
	l := Line{Name: s.Name}
	n := min(len(values), distributionSteps)
	for i := range n {
		at := (i + 1) * len(values) / n
		l.X, l.Y = append(l.X, values[at-1]), append(l.Y, float64(at)/float64(len(values)))
	}
	return l, nil
}

// Line is a named curve through points in order of X.
type Line struct {
	Name string
	X, Y []float64
}

// LineChart is curves over one axis.
type LineChart struct {
	Title, X, Y string
	LogX, LogY  bool
	Top         float64 // the Y axis reaches at least this value; it begins at 0 unless it is logarithmic
	Right       float64 // the X axis reaches at least this value
	Steps       bool    // each value holds until the next
	Dots        bool    // mark the points
	Half        bool
	Signed      bool // values below 0 are shown, and the line of 0
	Lines       []Line
}

// Lines draws the chart. Errors: points that a logarithmic axis cannot show, or no points.
func Lines(c LineChart) (*Plot, error) {
	p := blank(axis(c.X, c.LogX), axis(c.Y, c.LogY))
	values := &marks{X: c.X, Y: c.Y, Steps: c.Steps}
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if c.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	out := &Plot{Title: c.Title, Half: c.Half}
	for i, l := range c.Lines {
		points := make(plotter.XYs, len(l.X))
		for j := range l.X {
			points[j] = plotter.XY{X: l.X[j], Y: l.Y[j]}
			if c.LogX && l.X[j] <= 0 || c.LogY && l.Y[j] <= 0 {
				return nil, fmt.Errorf("%s: the point %v, %v cannot stand on a logarithmic axis", l.Name, l.X[j], l.Y[j])
			}
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		if c.Steps {
			line.StepStyle = plotter.PostStep
		}
		look, key := style(i, l.Name)
		line.LineStyle = look
		p.Add(line)
		if c.Dots {
			dots.GlyphStyle = draw.GlyphStyle{Color: look.Color, Radius: vg.Points(2.4), Shape: draw.CircleGlyph{}}
			p.Add(dots)
		}
		out.Legend = append(out.Legend, key)
		values.add(l.Name, l.X, l.Y)
	}
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&p.X, c.LogX}, {&p.Y, c.LogY}} {
		if a.log {
			widen(a.axis)
		}
	}
	p.X.Max = max(p.X.Max, c.Right)
	if !c.LogY {
		least := 0.0
		if c.Signed {
			least = min(p.Y.Min, 0)
			zero := plotter.NewFunction(func(float64) float64 { return 0 })
			zero.Width, zero.Color = vg.Points(0.8), color.Gray{0x80}
			p.Add(zero)
		}
		p.Y.Min, p.Y.Max = least, max(p.Y.Max, c.Top)
	}
	return out, out.draw(p, values)
}

// policyColors is the place in the palette that a policy has on every page.
var policyColors = []string{"round_robin", "join_shortest_queue", "cache_aware", "prefix_hash", "power_of_two", "expected_ttft", "random",
	"session_affinity", "prefix_key", "lru_match"}

// place is where in the palette a series has its colour: a policy its own, and another project's one of the dashed.
func place(i int, name string) int {
	if at := slices.Index(policyColors, name); at >= 0 {
		return at
	}
	if strings.HasPrefix(name, "peer:") {
		return len(palette) + i
	}
	return i
}

// ColorOf is a policy's colour, as CSS; that of the i-th series for other names.
func ColorOf(i int, name string) template.CSS { return Color(place(i, name)) }

func style(i int, name string) (draw.LineStyle, Key) {
	i = place(i, name)
	c := palette[i%len(palette)]
	look := draw.LineStyle{Width: vg.Points(1.7), Color: c}
	if i >= len(palette) {
		look.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	return look, Key{name, css(c), i >= len(palette)}
}

func css(c color.RGBA) template.CSS { return template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)) }

// draw renders p without the XML prologue, so that it can stand inside HTML, lets it shrink with the page, and notes where its values
// stand.
func (out *Plot) draw(p *plot.Plot, values *marks) error {
	width, height := fullWidth, fullHeight
	if out.Half {
		width, height = halfWidth, halfHeight
	}
	canvas := vgsvg.New(width, height)
	area := draw.Crop(draw.New(canvas), 0, -vg.Points(16), 0, -vg.Points(4)) // room for half of the last label
	p.Draw(area)
	values.place(p, area, float64(width), float64(height))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	text := b.String()
	out.SVG, out.Marks = template.HTML(text[strings.Index(text, "<svg"):]), values.text()
	return nil
}
