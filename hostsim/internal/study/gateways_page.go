package study

import (
	"fmt"
	"math"
	"strings"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/report"
)

// Page is the study as a page: how many cases meet the aims, those that do not, and the table.
func (g *Gateways) Page(all []GatewaysStanding, what string) *report.Page {
	page := &report.Page{Title: "Several gateways, held against one", Foot: what}
	t := report.Table{
		Title:   "Time and hits by the number of gateways",
		Note:    "Of one gateway: mean time to the first token in ms, and the share of the tokens found. Of several: times as long as one, and the share. Bold: an aim is missed.",
		Columns: []string{"case", "seeds", "one"},
	}
	means := make([]float64, len(g.Counts))
	met, pairs := make([]int, len(g.Counts)), 0
	for _, n := range g.Counts {
		t.Columns = append(t.Columns, fmt.Sprint(n))
	}
	for i := range all {
		st := &all[i]
		row := []string{st.Case.ID, fmt.Sprint(st.Seeds), figure.Decimal(st.One.TTFT, 1) + ", " + figure.Decimal(st.One.Hit, 3)}
		for k := range st.With {
			m := &st.With[k]
			means[k] += math.Log(m.Time) / float64(len(all))
			hits, time := m.misses()
			row = append(row, bold(figure.Decimal(m.Time, 2), time)+", "+bold(figure.Decimal(m.Hit, 3), hits))
			if pairs++; hits || time {
				page.Findings = append(page.Findings, g.missed(st, k))
			} else {
				met[k]++
			}
		}
		t.Rows = append(t.Rows, row)
	}
	last, parts := []string{"geometric mean", "", ""}, []string{}
	for k, n := range g.Counts {
		last = append(last, figure.Decimal(math.Exp(means[k]), 3))
		parts = append(parts, fmt.Sprintf("%d with %d", met[k], n))
	}
	t.Rows = append(t.Rows, last)
	page.Lead = fmt.Sprintf("Of %d cases so many are within 3 %% of one gateway's hits and 5 %% of its time: %s gateways.", len(all), strings.Join(parts, ", "))
	page.Sections = []report.Section{{Table: t}}
	if rates := g.rates(all, t.Columns); len(rates.Rows) > 0 {
		page.Sections = append(page.Sections, report.Section{Table: rates})
	}
	return page
}

func bold(text string, is bool) string {
	if is {
		return "**" + text + "**"
	}
	return text
}

// rates are the requests a second where clients wait for answers: in such a loop a late token is a request less.
func (g *Gateways) rates(all []GatewaysStanding, columns []string) report.Table {
	t := report.Table{Title: "Where clients wait for answers", Note: "Requests a second of one gateway; of several, times as many.", Columns: columns}
	for i := range all {
		st := &all[i]
		if !st.Case.Rate {
			continue
		}
		row := []string{st.Case.ID, fmt.Sprint(st.Seeds), figure.Decimal(st.One.Throughput, 2)}
		for k := range st.With {
			row = append(row, figure.Decimal(st.With[k].Rate, 2))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// missed says which aim a count misses.
func (g *Gateways) missed(st *GatewaysStanding, k int) string {
	m := &st.With[k]
	text := fmt.Sprintf("Missed by %d gateways in %s: %s", g.Counts[k], st.Case.ID, figure.Decimal(m.Time, 3))
	if !math.IsNaN(m.Error) {
		text += " ± " + figure.Decimal(m.Time*m.Error, 3)
	}
	return text + fmt.Sprintf(" times as long, hits %s of %s.", figure.Decimal(m.Hit, 3), figure.Decimal(st.One.Hit, 3))
}
