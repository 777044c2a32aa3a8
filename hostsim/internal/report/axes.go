package report

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// widen gives a logarithmic axis a range where it has one value, or none: the plot would take one below 0.
func widen(a *plot.Axis) {
	switch {
	case a.Min > a.Max:
		a.Min, a.Max = 1, 10
	case a.Min == a.Max:
		a.Min, a.Max = a.Min/2, a.Max*2
	}
}

// axis is an axis' label; a logarithmic one says so.
func axis(label string, log bool) string {
	if log {
		return label + " (log)"
	}
	return label
}

func blank(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Padding, p.Y.Padding = 0, 0
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Marker = plainTicks{}
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size = vg.Points(10), vg.Points(9)
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = color.Gray{0x80}, color.Gray{0x80}
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xf0}
	p.Add(grid)
	return p
}

// plainTicks are the default ticks, labelled with at most six significant digits.
type plainTicks struct{}

// Ticks implements plot.Ticker.
func (plainTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
		}
	}
	return ticks
}
