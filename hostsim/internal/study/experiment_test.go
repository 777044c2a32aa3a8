package study

import (
	"context"
	"slices"
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/vllm"
)

// On a short load every design has both arms.
func TestExperimentStudy(t *testing.T) {
	whole := slices.Clone(experimentLoads)
	defer func() { experimentLoads = whole }()
	experimentLoads = slices.Clone(whole[:1])
	experimentLoads[0].made.Requests = 1500
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	s := &sweep.Sweep{Context: context.Background(), Progress: func(int, int, string) {}, Base: replay.Options{Workers: 2, Gateways: 1, Profile: p, Speed: 1, Engine: contender.Native, Scrape: contender.ScrapeEvery}}
	points, err := Experiment(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != ExperimentPoints() || s.Done() != s.Total {
		t.Errorf("%d points of %d by %d replays of %d", len(points), ExperimentPoints(), s.Done(), s.Total)
	}
	for _, at := range points {
		if !(at.True < 0 && at.True > -1) || at.Design != "windows of 60 s" && !(at.Shown < 0 && at.Half > 0) { // it lasts for two of them
			t.Errorf("%+v", at)
		}
	}
	page := ExperimentPage(points, p)
	if len(page.Findings) != len(designs) || len(page.Sections[0].Rows) != len(points) {
		t.Errorf("%d findings, %d rows", len(page.Findings), len(page.Sections[0].Rows))
	}
}

// The interval is that of the groups' differences: what both arms have alike is not in it.
func TestExperimentPoint(t *testing.T) {
	live, other := make([]stats.Cluster, 16), make([]stats.Cluster, 16)
	for i := range live {
		n := float64(10 + i)
		live[i], other[i] = stats.Cluster{N: n, Sum: n * 50}, stats.Cluster{N: n, Sum: n * 100}
	}
	p := ExperimentPoint{Seeds: 1}
	p.add(-.5, live, other)
	if p.Shown != -.5 || p.Half > 1e-12 || p.Covered != 1 {
		t.Errorf("alike in all groups: %+v", p)
	}
	live[3].Sum *= 2
	p = ExperimentPoint{Seeds: 1}
	p.add(-.5, live, other)
	if p.Half <= 0 || p.Covered != 1 {
		t.Errorf("one group differs: %+v", p)
	}
}
