package league

import (
	"math"
	"slices"

	"warmroute/hostsim/internal/cases"
)

// Standing is one case's result: the mean over the seeds, by policy.
type Standing struct {
	Case   *cases.Case
	Values []float64 // by policy: TTFT in ms, or requests a second
	Ratios []float64 // by policy: to the best, ≥ 1, whichever way is better
	Rows   []Row     // by policy: means over the seeds
	Seeds  int
}

// Score is the league's end.
type Score struct {
	Policies  []string
	Standings []Standing
	// Against is the geometric mean over the cases of the first policy's value ÷ each policy's (the inverse for requests a
	// second): below 1 the first is better. Cases with one replica are left out: there is nothing to decide.
	Against []float64
	Wins    int // cases in which the first is Within of the best
}

// NewScore sums up rows that l.Run gave: of each of l.Cases and l.Policies as many as SeedsOf says.
func NewScore(l *League, rows []Row) *Score {
	s := &Score{Policies: l.Policies, Against: make([]float64, len(l.Policies))}
	at, counted := 0, 0
	for i := range l.Cases {
		c := &l.Cases[i]
		st := Standing{Case: c, Seeds: l.SeedsOf(c)}
		for range l.Policies {
			mean := Mean(rows[at : at+st.Seeds])
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
func (s *Score) Near(behind float64) (cases int) {
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

// rival is the policy other than the first that comes closest to it over all cases; −1 where there is none.
func (s *Score) rival() int {
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
