package study

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/cases"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/league"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
)

// Two gateways that share nothing find less than one; rows and page are in the order of cases, counts, seeds.
func TestGateways(t *testing.T) {
	small := loads.Made{Requests: 300, Reuse: 0.9, Prefixes: 20, PrefixTokens: 4000, Turns: 4, TurnTokens: 200, OutputTokens: 20, Think: 5, Load: 0.7}
	g := &Gateways{Policy: contender.Default, Counts: []int{2}, League: league.League{
		Cases: []cases.Case{{ID: "small", Load: loads.Of(small), Replicas: 4}, {ID: "loop", Load: loads.Of(small), Replicas: 4, Gateways: 3, Rate: true}},
		Seeds: 2, Scrape: time.Second, First: 2, Progress: func(int, int, league.Row) {},
	}}
	rows, err := g.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 8 || rows[0].Gateways != 1 || rows[1].Seed != 3 || rows[2].Gateways != 2 || rows[4].Case != "loop" {
		t.Fatalf("rows %+v", rows)
	}
	all := g.Score(rows)
	m := &all[0].With[0]
	want := math.Sqrt(rows[2].TTFT / rows[0].TTFT * rows[3].TTFT / rows[1].TTFT)
	if math.Abs(m.Time-want) > 1e-9 || math.Abs(m.Hit-(rows[2].Hit+rows[3].Hit)/2) > 1e-9 || !(m.Hits < 1) || !(m.Error > 0) {
		t.Errorf("%+v of %+v, want %v times as long", m, rows[:4], want)
	}
	page := g.Page(all, "a test")
	if len(page.Sections) != 2 || len(page.Sections[0].Rows) != 3 || len(page.Sections[1].Rows) != 1 {
		t.Errorf("page %+v", page.Sections)
	}
	g.Shared = replay.Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}
	shared, err := g.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if shared[0].TTFT != rows[0].TTFT || !(shared[2].Hit+shared[3].Hit > rows[2].Hit+rows[3].Hit) {
		t.Errorf("hits %v and %v of gateways that share news, want more than %v and %v", shared[2].Hit, shared[3].Hit, rows[2].Hit, rows[3].Hit)
	}
}

// Which aims are missed, the page says.
func TestGatewaysThatMiss(t *testing.T) {
	g := &Gateways{Counts: []int{2, 4}, League: league.League{Cases: []cases.Case{{ID: "one"}}, Seeds: 1}}
	page := g.Page(g.Score([]league.Row{{TTFT: 100, Hit: 0.5}, {TTFT: 104, Hit: 0.48}, {TTFT: 106, Hit: 0.5}}), "a test")
	if got := strings.Join(page.Sections[0].Rows[0], " | "); got != "one | 1 | 100.0, 0.500 | 1.04, **0.480** | **1.06**, 0.500" {
		t.Errorf("row %s", got)
	}
	if !strings.Contains(page.Lead, "0 with 2, 0 with 4") || len(page.Findings) != 2 {
		t.Errorf("%s %q", page.Lead, page.Findings)
	}
}

// Where clients send their next turns at once and endpoints are at their bounds of load, eight gateways find as much as one: they know
// that responses have ended.
func TestGatewaysBeforeCrowdedReplicas(t *testing.T) {
	at := slices.IndexFunc(cases.All, func(c cases.Case) bool { return c.ID == "kubeai-2" })
	g := &Gateways{Policy: contender.Default, Counts: []int{8}, Shared: replay.Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}, League: league.League{
		Cases: cases.All[at : at+1], Seeds: 1, Scrape: time.Second, First: 2, Progress: func(int, int, league.Row) {},
	}}
	rows, err := g.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := &g.Score(rows)[0].With[0]; m.Hits < 1-fewerHits || m.Rate < 0.97 {
		t.Errorf("%.3f of one gateway's hits, %.3f of its requests a second, want .97 at least", m.Hits, m.Rate)
	}
}
