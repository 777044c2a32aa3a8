package league

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/report"
)

// measure is something else than the mean TTFT that users see, in ms: a policy can buy one with the other.
type measure struct {
	name string
	of   func(*Row) float64
}

var measures = []measure{
	{"P95 of the TTFT", func(r *Row) float64 { return r.P95 }},
	{"time per token", func(r *Row) float64 { return r.TPOT }},
	{"whole answer", func(r *Row) float64 { return r.Latency }},
}

// best is the policy with the least of a measure.
func (m *measure) best(st *Standing) int {
	best := 0
	for p := range st.Rows {
		if m.of(&st.Rows[p]) < m.of(&st.Rows[best]) {
			best = p
		}
	}
	return best
}

// behind is how many times the best policy's the first policy's is, ≥ 1.
func (m *measure) behind(st *Standing) float64 {
	return m.of(&st.Rows[0]) / m.of(&st.Rows[m.best(st)])
}

// against is the geometric mean over the cases of the first policy's ÷ each policy's, and in how many cases the first is as near to the
// best as Within says. As in Against, one replica does not count.
func (m *measure) against(s *Score) (ratios []float64, wins int) {
	ratios = make([]float64, len(s.Policies))
	n := 0.0
	for i := range s.Standings {
		st := &s.Standings[i]
		if m.behind(st) <= st.Case.Within() {
			wins++
		}
		if st.Case.Replicas == 1 {
			continue
		}
		n++
		for p := range ratios {
			ratios[p] += math.Log(m.of(&st.Rows[0]) / m.of(&st.Rows[p]))
		}
	}
	for p := range ratios {
		ratios[p] = math.Exp(ratios[p] / max(n, 1))
	}
	return ratios, wins
}

// byMeasure is the first policy against each, by all measures.
func (s *Score) byMeasure() report.Table {
	t := report.Table{
		Title:   "What else users see",
		Note:    fmt.Sprintf("Geometric mean of %s ÷ each; below 1 it is ahead.", s.Policies[0]),
		Columns: []string{"", "cases within 2 %"},
	}
	for _, p := range s.Policies {
		t.Columns = append(t.Columns, short(p))
	}
	row := func(name string, wins int, ratios []float64) {
		cells := []string{name, fmt.Sprintf("%d of %d", wins, len(s.Standings))}
		for _, ratio := range ratios {
			cells = append(cells, figure.Decimal(ratio, 3))
		}
		t.Rows = append(t.Rows, cells)
	}
	row("mean TTFT, or requests a second", s.Wins, s.Against)
	for i := range measures {
		ratios, wins := measures[i].against(s)
		row(measures[i].name, wins, ratios)
	}
	return t
}

// elsewhere is where the first policy is behind by another measure, and which is the best there.
func (s *Score) elsewhere() report.Table {
	t := report.Table{Title: "Behind by these", Columns: []string{"case", "", "ratio", s.Policies[0] + " ms", "the best", "ms"}}
	for i := range s.Standings {
		st := &s.Standings[i]
		for k := range measures {
			m := &measures[k]
			if best := m.best(st); m.behind(st) > st.Case.Within() {
				t.Rows = append(t.Rows, []string{st.Case.ID, m.name, figure.Decimal(m.behind(st), 3), digits(m.of(&st.Rows[0])),
					short(s.Policies[best]), digits(m.of(&st.Rows[best]))})
			}
		}
	}
	return t
}

// digits is a time in ms, with as many decimals as tell neighbours apart.
func digits(ms float64) string {
	if ms < 100 {
		return figure.Decimal(ms, 1)
	}
	return figure.Decimal(ms, 0)
}
