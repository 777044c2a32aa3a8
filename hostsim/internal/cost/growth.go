package cost

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"warmroute/plugin/prefix"
)

// Growth is how a variant's added CPU grows with one thing while the others stay.
type Growth struct {
	With    string    `json:"with"` // the thing and its unit
	Variant string    `json:"variant"`
	X       []float64 `json:"x"`
	CPU     []float64 `json:"added_cpu_us"`
	Slope   float64   `json:"slope_us"` // µs for each more of it, by least squares
}

// axis is one thing that cost may grow with.
type axis struct {
	name string
	of   func(r *Row) float64
	base func(r, first *Row) bool // whether a row differs from the first in nothing else
	why  string
}

const blocksAxis = "blocks of a prompt"

// axes are what Grow looks along, and why cost grows so.
var axes = []axis{
	{"KB of body, to 32", kilobytes, func(r, first *Row) bool { return alike(r, first) && r.Bytes <= 32<<10 },
		"Each byte is copied into the module once, scanned and hashed, and every 256 bytes are an entry of the index (1,024 from 4 KB of prompt on). What the floor module's line has is the proxy's: it holds the body and copies it."},
	{"KB of body, from 32", kilobytes, func(r, first *Row) bool { return alike(r, first) && r.Bytes >= 32<<10 },
		"Longer prompts have longer blocks (4 KB from 32 KB on, 16 KB from 256 KB on), so entries cost next to nothing: copying, scanning and hashing are left."},
	{"endpoints", func(r *Row) float64 { return float64(r.Endpoints) }, func(r, first *Row) bool { return only(r, first, func(s *Setting) { s.Endpoints = first.Endpoints }) },
		"The policy weighs each endpoint for each request, in a few passes over what is kept ready of it."},
	{"workers", func(r *Row) float64 { return float64(r.Workers) }, func(r, first *Row) bool { return only(r, first, func(s *Setting) { s.Workers = first.Workers }) },
		"A worker reads what the others have routed since its last request and enters it in its own index; where processors are fewer than workers, switching between threads is in it too."},
	{"pools", func(r *Row) float64 { return float64(r.Pools) }, func(r, first *Row) bool { return only(r, first, func(s *Setting) { s.Pools = first.Pools }) },
		"With several pools the cluster that the route chose is read, one more property; then each has its own index, and less of it is in the processor's caches. How many there are hardly matters."},
	{blocksAxis, blocks, func(r, first *Row) bool { return only(r, first, func(s *Setting) { s.Block = first.Block }) },
		"The same bytes in more blocks: what an entry of the index costs, looked up, inserted and written to the log."},
}

func kilobytes(r *Row) float64 { return float64(r.Bytes) / 1024 }

// blocks is how many blocks a prompt as long as the body has.
func blocks(r *Row) float64 {
	var f prefix.Fold
	f.Reset(cmp.Or(r.Block, prefix.DefaultBlockBytes))
	f.Write(make([]byte, r.Bytes))
	return float64(f.Blocks())
}

// alike says whether rows are of new prompts over as many connections in the same setting.
func alike(r, first *Row) bool {
	return r.Setting == first.Setting && r.Connections == first.Connections && r.Turns == 1 && r.Rate == 0 && r.Events == 0
}

// only says whether the settings differ in nothing but what same makes the same, and the case is the one of the sweeps.
func only(r, first *Row, same func(*Setting)) bool {
	s := r.Setting
	same(&s)
	return s == first.Setting && r.Case == first.Case
}

// Grow finds along which axes the rows have more than one point. usual is the case that settings share, longer that of those that
// differ in blocks.
func Grow(rows []Row, usual, longer Case) (all []Growth) {
	for _, a := range axes {
		of := usual
		if a.name == blocksAxis {
			of = longer
		}
		at := slices.IndexFunc(rows, func(r Row) bool { return r.Case == of })
		if at < 0 {
			continue
		}
		first := &rows[at]
		var names []string
		lines := map[string]*Growth{}
		for i := range rows {
			r := &rows[i]
			if !a.base(r, first) || r.Variant == "plain" {
				continue
			}
			g := lines[r.Variant]
			if g == nil {
				g = &Growth{With: a.name, Variant: r.Variant}
				lines[r.Variant], names = g, append(names, r.Variant)
			}
			g.X, g.CPU = append(g.X, a.of(r)), append(g.CPU, r.CPU)
		}
		for _, name := range names {
			if g := lines[name]; len(g.X) > 1 {
				g.sort()
				g.Slope = slope(g.X, g.CPU)
				all = append(all, *g)
			}
		}
	}
	return all
}

func (g *Growth) sort() {
	order := make([]int, len(g.X))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.X[a], g.X[b]) })
	x, y := make([]float64, len(order)), make([]float64, len(order))
	for i, from := range order {
		x[i], y[i] = g.X[from], g.CPU[from]
	}
	g.X, g.CPU = x, y
}

// slope is that of the line of least squares; 0 where all x are the same.
func slope(x, y []float64) float64 {
	n, sx, sy, sxx, sxy := float64(len(x)), 0.0, 0.0, 0.0, 0.0
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	if d := n*sxx - sx*sx; d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

// PrintGrowth prints a row for each line.
func PrintGrowth(all []Growth, w io.Writer) error {
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nadded CPU, µs a request, for each more of:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tvariant\tfrom\tto\tslope µs\t")
	for _, g := range all {
		last := len(g.X) - 1
		fmt.Fprintf(t, "%s\t%s\t%.0f: %.0f\t%.0f: %.0f\t%.3f\t\n", g.With, g.Variant, g.X[0], g.CPU[0], g.X[last], g.CPU[last], g.Slope)
	}
	return t.Flush()
}
