package league

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"warmroute/hostsim/internal/cases"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
)

func TestLeague(t *testing.T) {
	small := loads.Made{Requests: 200, Reuse: 0.8, Prefixes: 4, PrefixTokens: 2000, Turns: 3, TurnTokens: 200, OutputTokens: 20, Think: 5, Load: 1}
	times := []loads.Phase{{Seconds: 60, Rate: 1}, {Seconds: 60, Rate: 3}, {Seconds: 60, Rate: 1}}
	l := &League{
		Cases: []cases.Case{
			{ID: "small", Load: loads.Of(small), Replicas: 2, Slower: []float64{2}},
			{ID: "phases", Load: loads.Phased(small, times...), Replicas: 2, Closed: true, Phases: times},
		},
		Policies: []string{"peer:kubeai_least_load", contender.Default}, Seeds: 2, Scrape: time.Second, Progress: func(int, int, Row) {},
	}
	rows, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 8 || rows[1].Seed != 2 || rows[2].Policy != l.Policies[1] || rows[4].Case != "phases" || len(rows[4].Phases) != 3 {
		t.Fatalf("rows %+v", rows)
	}
	s := NewScore(l, rows)
	mean := (rows[0].TTFT + rows[1].TTFT) / 2
	if got := s.Standings[0].Values[0]; math.Abs(got-mean) > 1e-9 {
		t.Errorf("mean %v, want %v", got, mean)
	}
	if best := min(s.Standings[0].Ratios[0], s.Standings[0].Ratios[1]); best != 1 {
		t.Errorf("the best is %v times the best", best)
	}
	if s.Against[0] != 1 || !(s.Against[1] > 0) || s.rival() != 1 {
		t.Errorf("against %v, rival %d", s.Against, s.rival())
	}
	behind := 0
	for i := range s.Standings {
		st := &s.Standings[i]
		for k := range measures {
			if measures[k].behind(st) > st.Case.Within() {
				behind++
			}
		}
	}
	if behind == 0 {
		t.Fatal("least load alone is behind in nothing: the test shows nothing")
	}
	page := s.Page("test")
	var tables []string
	for _, section := range page.Sections {
		tables = append(tables, fmt.Sprint(section.Table.Title, " ", len(section.Table.Rows)))
	}
	want := []string{"Mean time to the first token in ms, or requests a second 3", "What else users see 4", fmt.Sprint("Behind by these ", behind), "Overload and its end 2", "Heat map 0"}
	if !slices.Equal(tables, want) {
		t.Errorf("tables %q, want %q", tables, want)
	}
}

// A measure in which one policy is twice as fast in each case of two, and one replica does not count.
func TestLeagueMeasures(t *testing.T) {
	l := &League{Cases: []cases.Case{{ID: "a"}, {ID: "one", Replicas: 1}, {ID: "b"}}, Policies: []string{"a", "b"}, Seeds: 1}
	s := NewScore(l, []Row{{TPOT: 10}, {TPOT: 20}, {TPOT: 10}, {TPOT: 1}, {TPOT: 2}, {TPOT: 4}})
	ratios, wins := measures[1].against(s)
	if math.Abs(ratios[1]-0.5) > 1e-9 || wins != 2 {
		t.Errorf("ratios %v, wins %d", ratios, wins)
	}
	if at := measures[1].behind(&s.Standings[1]); at != 10 {
		t.Errorf("%v times the best", at)
	}
}

// Requests a second count the other way round.
func TestLeagueRates(t *testing.T) {
	l := &League{Cases: []cases.Case{{ID: "loop", Rate: true}}, Policies: []string{"a", "b"}, Seeds: 1}
	s := NewScore(l, []Row{{Throughput: 10}, {Throughput: 20}})
	if st := s.Standings[0]; st.Ratios[0] != 2 || st.Ratios[1] != 1 || s.Wins != 0 || math.Abs(s.Against[1]-2) > 1e-9 {
		t.Errorf("ratios %v, against %v", st.Ratios, s.Against)
	}
}

// Four gateways that share nothing find one place for a conversation: responses tell them that others are there, and the ring where
// to look. (Each by itself found .84 to .89 of the tokens, and left conversations at up to four replicas.)
func TestGatewaysThatShareNothing(t *testing.T) {
	c := cases.Case{ID: "agents-4gw", Load: loads.Of(loads.Agents.Busier(loads.Agents.Load, 1200)), KVTokens: 400_000, Gateways: 4}
	l := &League{Cases: []cases.Case{c}, Policies: []string{contender.Default}, Seeds: 2, Scrape: time.Second, Progress: func(int, int, Row) {}}
	rows, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		t.Logf("seed %d: %.3f of the tokens found, %.0f ms to the first token", row.Seed, row.Hit, row.TTFT)
	}
	if mean := (rows[0].Hit + rows[1].Hit) / 2; mean < 0.9 {
		t.Errorf("%.3f of the tokens were found", mean)
	}
}

// A case that chance drew is played as the others, and the page says what it is.
func TestDrawnLeague(t *testing.T) {
	c := cases.Drawn(2, 1)[1]
	l := &League{Cases: []cases.Case{c}, Policies: []string{contender.Default, "join_shortest_queue"}, Seeds: 1, Scrape: time.Second, Progress: func(int, int, Row) {}}
	rows, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := NewScore(l, rows)
	page := s.Page("test")
	if got := page.Sections[len(page.Sections)-1].Rows; len(got) != 1 || got[0][1] != c.What || s.Near(10) != 1 {
		t.Errorf("cases %v, %d near", got, s.Near(10))
	}
}

// Every replay is in one job, and no more than two seeds are under way on as many processors as there are.
func TestJobs(t *testing.T) {
	l := &League{Cases: []cases.Case{{ID: "a"}, {ID: "b"}}, Seeds: 2}
	arms := make([]Arm, 5)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for processors, want := range map[int][]int{1: {1, 1, 1, 1}, 2: {1, 1, 2, 2}, 4: {2, 2, 4, 4}, 16: {5, 5, 5, 5}} {
		runtime.GOMAXPROCS(processors)
		jobs, replays := l.jobs(arms)
		var places, parts []int
		var last *drawn
		for _, j := range jobs {
			if j.load != last {
				parts, last = append(parts, 0), j.load
			}
			parts[len(parts)-1]++
			places = append(places, j.places...)
		}
		slices.Sort(places)
		if len(places) != replays || places[0] != 0 || places[replays-1] != replays-1 || len(slices.Compact(places)) != replays || !slices.Equal(parts, want) {
			t.Errorf("%d processors: %d jobs of a seed each, want %d; %d replays at %d", processors, parts, want, replays, places)
		}
	}
}
