package cost

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// made are rows of a cost that is known: 20 µs, 2 for each KB up to 32 and .5 beyond, and .1 for each endpoint above 8.
func made() (rows []Row, usual, longer Case) {
	usual, longer = Case{Bytes: 4 << 10, Connections: 8, Turns: 1}, Case{Bytes: 32 << 10, Connections: 8, Turns: 1}
	base := Setting{Endpoints: 8, Workers: 1, Pools: 1}
	add := func(c Case, s Setting, cpu float64) {
		rows = append(rows, Row{Case: c, Setting: s, Variant: "plain"}, Row{Case: c, Setting: s, Variant: "warmroute", CPU: cpu})
	}
	for _, kb := range []int{4, 2, 32, 400} {
		add(Case{Bytes: kb << 10, Connections: 8, Turns: 1}, base, 20+2*min(float64(kb), 32)+.5*max(float64(kb)-32, 0))
		add(Case{Bytes: kb << 10, Connections: 1, Turns: 1}, base, 900)
	}
	add(Case{Bytes: 32 << 10, Connections: 8, Turns: 6}, base, 900)
	add(Case{Bytes: 4 << 10, Connections: 1, Rate: 100, Turns: 1}, base, 900)
	add(usual, Setting{Endpoints: 1024, Workers: 1, Pools: 1}, 28+.1*1016)
	add(longer, Setting{Endpoints: 8, Workers: 1, Pools: 1, Block: 1020}, 60)
	return rows, usual, longer
}

func TestGrow(t *testing.T) {
	rows, usual, longer := made()
	want := map[string]float64{"KB of body, to 32": 2, "KB of body, from 32": .5, "endpoints": .1, "blocks of a prompt": (84. - 60) / (44 - 20)}
	all := Grow(rows, usual, longer)
	for _, g := range all {
		if math.Abs(g.Slope-want[g.With]) > 1e-9 {
			t.Errorf("%s: %.3f µs for each more of %v: %v, want %.3f", g.With, g.Slope, g.X, g.CPU, want[g.With])
		}
		delete(want, g.With)
	}
	if len(want) > 0 || len(all) != 4 {
		t.Errorf("%d lines, missing %v", len(all), want)
	}
	var text bytes.Buffer
	if err := PrintGrowth(all, &text); err != nil || strings.Count(text.String(), "\n") != 7 {
		t.Errorf("%v:\n%s", err, &text)
	}
	page, err := Page(rows, all, []Held{{Resident: 100 << 20}, {Requests: 20_000, Resident: 120 << 20}})
	if err != nil || len(page.Sections) != 6 {
		t.Fatalf("%v: %d sections", err, len(page.Sections))
	}
	for _, s := range page.Sections[1:5] {
		if s.Plot == nil || s.Note == "" || len(s.Rows) != 1 {
			t.Errorf("%s: no plot, or a slope that is not explained", s.Title)
		}
	}
}
