package league

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/report"
)

// Page is the score as a page: where the first policy is behind, the table, and a heat map.
func (s *Score) Page(what string) *report.Page {
	page := &report.Page{Title: "The league", Foot: what}
	first := s.Policies[0]
	page.Lead = fmt.Sprintf("%s is within 2 %% of the best (5 %% where seeds differ by half) in %d of %d cases.", first, s.Wins, len(s.Standings))
	page.Lead += fmt.Sprintf(" Within 2 %%: %d, 5 %%: %d, 10 %%: %d.", s.Near(0.02), s.Near(0.05), s.Near(0.1))
	if rival := s.rival(); rival >= 0 {
		page.Lead += fmt.Sprintf(" Over all cases it takes %s times as long as %s, the best single rival (geometric mean).", figure.Decimal(s.Against[rival], 3), s.Policies[rival])
	}
	worst := slices.Clone(s.Standings)
	slices.SortStableFunc(worst, func(a, b Standing) int { return cmp.Compare(b.Ratios[0], a.Ratios[0]) })
	for _, st := range worst {
		if other := st.bestOther(); st.Ratios[0] > st.Case.Within() {
			page.Findings = append(page.Findings, fmt.Sprintf("Behind in %s: %s, %s times the %s of %s.",
				st.Case.ID, st.value(0), figure.Decimal(st.Ratios[0], 3), st.value(other), s.Policies[other]))
		}
	}
	for _, table := range []report.Table{s.table(), s.byMeasure(), s.elsewhere(), s.overload()} {
		if len(table.Rows) > 0 {
			page.Sections = append(page.Sections, report.Section{Table: table})
		}
	}
	page.Sections = append(page.Sections, report.Section{Table: report.Table{Title: "Heat map"}, Grids: []report.Grid{s.heat()}})
	if what := s.cases(); len(what.Rows) > 0 {
		page.Sections = append(page.Sections, report.Section{Table: what})
	}
	return page
}

// cases says what those are that were drawn.
func (s *Score) cases() report.Table {
	t := report.Table{Title: "The cases", Columns: []string{"case", "load"}}
	for _, st := range s.Standings {
		if st.Case.Drawn {
			t.Rows = append(t.Rows, []string{st.Case.ID, st.Case.What})
		}
	}
	return t
}

func short(policy string) string { return strings.TrimPrefix(policy, "peer:") }

// value is a policy's, with its unit where that is not ms.
func (st *Standing) value(p int) string {
	if st.Case.Rate {
		return figure.Decimal(st.Values[p], 2) + "/s"
	}
	return figure.Decimal(st.Values[p], 0)
}

func (s *Score) table() report.Table {
	t := report.Table{
		Title:   "Mean time to the first token in ms, or requests a second",
		Note:    "The ratio is to the best of all, 1 being the best.",
		Columns: append([]string{"case", "seeds", "ratio", "hit", "imbalance"}, s.Policies...),
	}
	for _, st := range s.Standings {
		row := []string{st.Case.ID, fmt.Sprint(st.Seeds), figure.Decimal(st.Ratios[0], 3), figure.Percent(st.Rows[0].Hit), figure.Decimal(st.Rows[0].Imbalance, 2)}
		for p := range s.Policies {
			row = append(row, st.value(p))
		}
		t.Rows = append(t.Rows, row)
	}
	last := []string{"geometric mean of " + s.Policies[0] + " ÷ each", "", "", "", ""}
	for p := range s.Policies {
		last = append(last, figure.Decimal(s.Against[p], 3))
	}
	t.Rows = append(t.Rows, last)
	for i := range t.Columns {
		t.Columns[i] = short(t.Columns[i])
	}
	return t
}

// overload is what became of the cases with phases.
func (s *Score) overload() report.Table {
	t := report.Table{Title: "Overload and its end", Columns: []string{"case, policy", "before ms", "during ms", "after ms", "back to 1.1 × after s", "req/s"}}
	for _, st := range s.Standings {
		for p, r := range st.Rows {
			if len(r.Phases) != 3 {
				continue
			}
			back := figure.Decimal(r.Recovery, 0)
			if r.Recovery < 0 {
				back = "never"
			}
			t.Rows = append(t.Rows, []string{st.Case.ID + ", " + short(s.Policies[p]), figure.Decimal(r.Phases[0], 0), figure.Decimal(r.Phases[1], 0), figure.Decimal(r.Phases[2], 0), back, figure.Decimal(r.Throughput, 2)})
		}
	}
	return t
}

// heat is the ratios to the best; white is the best, orange twice as bad or worse.
func (s *Score) heat() report.Grid {
	g := report.Grid{Title: "Ratio to the best of each case", X: "policy", Y: "case"}
	for _, p := range s.Policies {
		g.Columns = append(g.Columns, short(p))
	}
	for _, st := range s.Standings {
		row := report.GridRow{Name: st.Case.ID}
		for _, ratio := range st.Ratios {
			good := 1 - (ratio-1)/0.05 // blue where within 5 %
			if good < 0 {
				good = max(-1, -(ratio-1.05)/0.95)
			}
			row.Cells = append(row.Cells, report.Cell{Text: figure.Decimal(ratio, 2), Good: good, Best: ratio == 1})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
