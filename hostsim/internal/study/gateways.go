package study

import (
	"context"
	"math"

	"warmroute/hostsim/internal/cases"
	"warmroute/hostsim/internal/league"
	"warmroute/hostsim/internal/replay"
)

// Gateways plays one policy with several numbers of gateways, and holds each against one gateway.
type Gateways struct {
	league.League        // its Policies, Gateways and Sync are set here
	Policy        string // of all
	Counts        []int  // of gateways, beside one
	Shared        replay.Sync
}

// The aims: what several gateways may find less, and take longer, than one.
const (
	fewerHits  = 0.03
	muchLonger = 0.05
)

// GatewaysStanding is one case's result.
type GatewaysStanding struct {
	Case  *cases.Case
	Seeds int
	One   league.Row     // with one gateway: the mean over the seeds
	With  []GatewaysMean // by count
}

// GatewaysMean is what so many gateways reach, against one.
type GatewaysMean struct {
	Hit   float64 // mean token hit ratio
	Hits  float64 // that ÷ one's; 1 where one has none
	Time  float64 // geometric mean over the seeds of the mean TTFT ÷ one's of the same seed
	Error float64 // standard error of Time, relative; NaN with one seed
	Rate  float64 // requests a second ÷ one's
}

// Run replays every case with one gateway and with each count, and every seed. The rows are in the order of cases, counts, seeds.
// Errors: as those of League.Run.
func (g *Gateways) Run(ctx context.Context) ([]league.Row, error) {
	arms := []league.Arm{{Policy: g.Policy, Gateways: 1}}
	for _, n := range g.Counts {
		arms = append(arms, league.Arm{Policy: g.Policy, Gateways: n})
	}
	g.Sync = g.Shared
	return g.Play(ctx, arms...)
}

// Score sums up rows that Run gave.
func (g *Gateways) Score(rows []league.Row) []GatewaysStanding {
	var all []GatewaysStanding
	for i := range g.Cases {
		c := &g.Cases[i]
		n := g.SeedsOf(c)
		one := rows[:n]
		st := GatewaysStanding{Case: c, Seeds: n, One: league.Mean(one)}
		for range g.Counts {
			rows = rows[n:]
			st.With = append(st.With, heldAgainst(rows[:n], one))
		}
		rows = rows[n:]
		all = append(all, st)
	}
	return all
}

// heldAgainst holds rows against one gateway's of the same seeds.
func heldAgainst(rows, one []league.Row) GatewaysMean {
	n := float64(len(rows))
	sum, square, hit, hits, rate, rates := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range rows {
		log := math.Log(rows[i].TTFT / one[i].TTFT)
		sum, square = sum+log/n, square+log*log/n
		hit, hits = hit+rows[i].Hit/n, hits+one[i].Hit/n
		rate, rates = rate+rows[i].Throughput, rates+one[i].Throughput
	}
	m := GatewaysMean{Hit: hit, Hits: 1, Time: math.Exp(sum), Error: math.Sqrt(max(square-sum*sum, 0) / (n - 1)), Rate: rate / rates}
	if hits > 0 {
		m.Hits = hit / hits
	}
	return m
}

// misses says whether the aim of hits, or that of time, is missed.
func (m *GatewaysMean) misses() (hits, time bool) {
	return m.Hits < 1-fewerHits, m.Time > 1+muchLonger
}
