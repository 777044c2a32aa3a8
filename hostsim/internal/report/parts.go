package report

import (
	"fmt"
	"html/template"
	"math"
)

// Bar is a row of a horizontal bar chart: one part, or several side by side.
type Bar struct {
	Name  string
	Text  string // at the end of the bar
	Parts []Part
	Tick  float64 // a mark on the bar's axis, 0 to 1; 0: none
}

// Part is a piece of a bar.
type Part struct {
	Name  string
	Share float64 // of the axis, 0 to 1
	Color template.CSS
}

// Width is the part's width as CSS.
func (p Part) Width() template.CSS { return percent(p.Share) }

// Place is the tick's place as CSS.
func (b Bar) Place() template.CSS { return percent(b.Tick) }

func percent(share float64) template.CSS {
	return template.CSS(fmt.Sprintf("%.2f%%", 100*min(max(share, 0), 1)))
}

// Bars is a chart of bars with a legend.
type Bars struct {
	Title  string
	Legend []Key
	Rows   []Bar
}

// Color is the i-th colour of the plots, as CSS.
func Color(i int) template.CSS { return css(palette[i%len(palette)]) }

// Grid is a table whose cells are coloured by value: a surface, with its numbers.
type Grid struct {
	Title, X, Y string
	Columns     []string
	Rows        []GridRow
}

// GridRow is a row of a grid.
type GridRow struct {
	Name  string
	Cells []Cell
}

// Cell is one value of a grid. Good is −1 (worst) to 1 (best); 0 is neutral.
type Cell struct {
	Text string
	Good float64
	Best bool // the best of its row or column, as the grid's title says
}

// Background is the cell's colour: blue is good, orange is bad, and white is neither.
func (c Cell) Background() template.CSS {
	to := palette[0]
	if c.Good < 0 {
		to = palette[1]
	}
	share := min(math.Abs(c.Good), 1) * 0.75
	mix := func(v uint8) uint8 { return uint8(255 - share*(255-float64(v))) }
	return template.CSS(fmt.Sprintf("#%02x%02x%02x", mix(to.R), mix(to.G), mix(to.B)))
}

// Dark reports whether the cell's background needs white text.
func (c Cell) Dark() bool { return c.Good > 0.75 || c.Good < -0.9 }
