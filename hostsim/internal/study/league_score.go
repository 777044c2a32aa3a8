package study

import (
	"math"
	"slices"

	"warmroute/hostsim/internal/cases"
)

// Standing is one case's result: the mean over the seeds, by policy.
type Standing struct {
	Case   *cases.Case
	Values []float64   // by policy: TTFT in ms, or requests a second
	Ratios []float64   // by policy: to the best, ≥ 1, whichever way is better
	Rows   []LeagueRow // by policy: means over the seeds
	Seeds  int
}

// LeagueScore is the league's end.
type LeagueScore struct {
	Policies  []string
	Standings []Standing
	// Against is the geometric mean over the cases of the first policy's value ÷ each policy's (the inverse for requests a
	// second): below 1 the first is better. Cases with one replica are left out: there is nothing to decide.
	Against []float64
	Wins    int // cases in which the first is within Near of the best
}

// ScoreLeague sums up rows that League.Run gave.
func ScoreLeague(l *League, rows []LeagueRow) *LeagueScore {
	s := &LeagueScore{Policies: l.Policies, Against: make([]float64, len(l.Policies))}
	at, counted := 0, 0
	for i := range l.Cases {
		c := &l.Cases[i]
		st := Standing{Case: c, Seeds: l.seeds(c)}
		for range l.Policies {
			mean := meanRow(rows[at : at+st.Seeds])
			at += st.Seeds
			st.Rows, st.Values = append(st.Rows, mean), append(st.Values, mean.TTFT)
			if c.Rate {
				st.Values[len(st.Values)-1] = mean.Throughput
			}
		}
		best := slices.Min(st.Values)
		if c.Rate {
			best = slices.Max(st.Values)
		}
		for _, v := range st.Values {
			st.Ratios = append(st.Ratios, worse(c, v, best))
		}
		if st.Ratios[0] <= c.Within() {
			s.Wins++
		}
		if c.Replicas != 1 {
			counted++
			for p, v := range st.Values {
				s.Against[p] += math.Log(worse(c, st.Values[0], v))
			}
		}
		s.Standings = append(s.Standings, st)
	}
	for p := range s.Against {
		s.Against[p] = math.Exp(s.Against[p] / float64(max(counted, 1)))
	}
	return s
}

// Near is the number of cases in which the first policy is at most so much behind the best: 0.05 is 5 %.
func (s *LeagueScore) Near(behind float64) (cases int) {
	for i := range s.Standings {
		if s.Standings[i].Ratios[0] <= 1+behind {
			cases++
		}
	}
	return cases
}

// worse is how many times worse a value is than another.
func worse(c *cases.Case, value, than float64) float64 {
	if c.Rate {
		return than / value
	}
	return value / than
}

// meanRow is the mean of rows that differ by their seed. Where one never recovered, the mean did not.
func meanRow(rows []LeagueRow) LeagueRow {
	out := LeagueRow{Case: rows[0].Case, Policy: rows[0].Policy, Phases: make([]float64, len(rows[0].Phases))}
	n := float64(len(rows))
	for _, r := range rows {
		out.TTFT, out.P95, out.Throughput = out.TTFT+r.TTFT/n, out.P95+r.P95/n, out.Throughput+r.Throughput/n
		out.TPOT, out.Latency = out.TPOT+r.TPOT/n, out.Latency+r.Latency/n
		out.Hit, out.Imbalance, out.Wall = out.Hit+r.Hit/n, out.Imbalance+r.Imbalance/n, out.Wall+r.Wall/n
		for i, v := range r.Phases {
			out.Phases[i] += v / n
		}
		if out.Recovery < 0 || r.Recovery < 0 {
			out.Recovery = -1
		} else {
			out.Recovery += r.Recovery / n
		}
	}
	return out
}

// Rival is the policy other than the first that comes closest to it over all cases; −1 where there is none.
func (s *LeagueScore) Rival() int {
	rival := -1
	for p := 1; p < len(s.Policies); p++ {
		if rival < 0 || s.Against[p] > s.Against[rival] {
			rival = p
		}
	}
	return rival
}

// bestOther is the best policy of a standing beside the first; −1 where there is none.
func (st *Standing) bestOther() int {
	best := -1
	for p := 1; p < len(st.Ratios); p++ {
		if best < 0 || st.Ratios[p] < st.Ratios[best] {
			best = p
		}
	}
	return best
}
