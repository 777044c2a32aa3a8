package study

import (
	"fmt"
	"math"
	"strings"
	"time"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// ExperimentPoint is what one design of a live experiment shows of one measure on one load, over all seeds.
type ExperimentPoint struct {
	Load    string  `json:"load"`
	Design  string  `json:"design"`
	Measure string  `json:"measure"`
	True    float64 `json:"true"`    // live ÷ other − 1 by whole replays of each, mean
	Shown   float64 `json:"shown"`   // by the experiment, mean
	Half    float64 `json:"half"`    // of its 95 % interval, mean
	Covered int     `json:"covered"` // of the seeds: the interval holds what the whole replays of the same requests differ by
	Seeds   int     `json:"seeds"`
}

// experimentOther is the policy that the default is held against.
const experimentOther = "join_shortest_queue"

// experimentLoads are loads in which an evicted block has lived for some 10 s, and that last for about half an hour.
var experimentLoads = []struct {
	name string
	made loads.Made
}{
	{"conversations", loads.Made{Requests: 32000, Reuse: 0.8, Prefixes: 8, PrefixTokens: 1500, Turns: 4, TurnTokens: 250, OutputTokens: 60, Think: 5, Load: 1.1}},
	{"single questions", loads.Made{Requests: 50000, Reuse: 1, Prefixes: 96, PrefixTokens: 3000, Turns: 1, TurnTokens: 150, OutputTokens: 60, Think: 5, Load: 1.2}},
	{"threads", loads.Made{Requests: 18000, Reuse: 0, Prefixes: 1, PrefixTokens: 400, Turns: 6, TurnTokens: 500, OutputTokens: 60, Think: 5, Load: 0.7}},
}

const (
	experimentReplicas = 2
	experimentKV       = 80_000 // tokens of each
)

// design is a way to run an experiment.
type design struct {
	name   string
	share  float64
	window time.Duration // 0: by session
}

var designs = []design{
	{"half of the sessions", 0.5, 0}, {"a twentieth of the sessions", 0.05, 0}, {"windows of 10 s", 0.5, 10 * time.Second}, {"windows of 60 s", 0.5, time.Minute},
}

// Experiment runs each load whole by either policy and as an experiment of each design, as many times as seeds says, with other
// requests each time. An error comes with the points of the loads that are whole.
func Experiment(s *sweep.Sweep, seeds int) ([]ExperimentPoint, error) {
	s.Total = len(experimentLoads) * seeds * (2 + len(designs))
	var err error
	if s.Base.Profile, err = s.Base.Profile.WithKVTokens(experimentKV); err != nil {
		return nil, err
	}
	s.Base.Replicas = experimentReplicas
	var points []ExperimentPoint
	for _, load := range experimentLoads {
		whole := len(points)
		for _, d := range designs {
			for _, measure := range []string{"TTFT", "prefill tokens"} {
				points = append(points, ExperimentPoint{Load: load.name, Design: d.name, Measure: measure, Seeds: seeds})
			}
		}
		for seed := range seeds {
			t := load.made.Trace(uint64(seed+1), s.Base.Replicas, s.Base.Profile)
			jobs := []*sweep.Job{experimentJob(load.name, t, seed, contender.Default, design{}), experimentJob(load.name, t, seed, experimentOther, design{})}
			for _, d := range designs {
				jobs = append(jobs, experimentJob(load.name, t, seed, contender.Default, d))
			}
			if err := s.All(jobs...); err != nil {
				return points[:whole], err
			}
			live, other := armOf(jobs[0].Result, t, "", 0), armOf(jobs[1].Result, t, "", 0)
			for i, d := range designs {
				r := jobs[2+i].Result
				a, b := armOf(r, t, ";arm=live", d.window), armOf(r, t, ";arm=experiment", d.window)
				for k := range live {
					p := &points[whole+2*i+k]
					p.add(stats.Mean(live[k])/stats.Mean(other[k])-1, a[k], b[k])
				}
			}
		}
	}
	return points, nil
}

func experimentJob(load string, t *trace.Trace, seed int, policy string, d design) *sweep.Job {
	return &sweep.Job{What: fmt.Sprintf("%s, %s", load, d.name), Change: func(o *replay.Options) {
		o.Trace, o.Seed, o.Policy, o.Detail, o.NameSessions = t, uint64(seed+1), policy, true, true
		if d.share > 0 {
			o.Plugin = map[string]any{"experiment": map[string]any{"share": d.share, "policy": experimentOther, "window": fmt.Sprintf("%gs", d.window.Seconds())}}
		}
	}}
}

// armOf is the TTFT and the computed tokens of the requests whose decision has the text, in the module's groups: of the
// sessions, by chance, or of the windows.
func armOf(r *replay.Result, t *trace.Trace, text string, window time.Duration) (out [2][]stats.Cluster) {
	const groups = 16
	for k := range out {
		out[k] = make([]stats.Cluster, groups)
	}
	for i, q := range r.Served {
		if q.PromptTokens == 0 || !strings.Contains(q.Decision, text) {
			continue
		}
		group := t.Requests[i].Session % groups
		if window > 0 {
			group = int(q.Queued / (2 * int64(window)) % groups)
		}
		for k, v := range []float64{figure.MS(q.First - q.Queued), float64(q.PromptTokens - q.CachedTokens)} {
			out[k][group].N++
			out[k][group].Sum += v
		}
	}
	return out
}

// add is one seed's: the difference between whole replays, and both arms of the experiment.
func (p *ExperimentPoint) add(truth float64, live, other []stats.Cluster) {
	change := stats.Mean(live)/stats.Mean(other) - 1
	differences := stats.Residuals(live)
	for i, r := range stats.Residuals(other) {
		differences[i] -= r
	}
	half := (1 + change) * stats.Half(stats.Variance(differences), len(live)-1)
	n := float64(p.Seeds)
	p.True += truth / n
	p.Shown += change / n
	p.Half += half / n
	if math.Abs(change-truth) <= half {
		p.Covered++
	}
}

// ExperimentPoints is how many points Experiment makes.
func ExperimentPoints() int { return len(experimentLoads) * len(designs) * 2 }

// ExperimentPage shows how far each design is to be trusted.
func ExperimentPage(points []ExperimentPoint, p vllm.Profile) *report.Page {
	page := &report.Page{
		Title: "What a live experiment shows",
		Foot: fmt.Sprintf("hostsim study experiment, native engine, %d replicas of %s with %d KV tokens each; %s against %s. Conversations, single questions, threads: %s.",
			experimentReplicas, p.Name, experimentKV, contender.Default, experimentOther, strings.Join(described(), "; ")),
	}
	table := report.Table{Title: "By whole replays and by the experiment", Columns: []string{"load", "measure", "design", "by whole replays", "by the experiment", "±", "holds it"}}
	for _, d := range designs {
		held, of, off := 0, 0, 0.0
		for _, at := range points {
			if at.Design == d.name && at.Measure == "TTFT" {
				held, of = held+at.Covered, of+at.Seeds
				if e := at.Shown - at.True; math.Abs(e) > math.Abs(off) {
					off = e
				}
			}
		}
		if of > 0 {
			page.Findings = append(page.Findings, fmt.Sprintf("TTFT by %s: the interval holds what whole replays differ by %d of %d times; the mean is off by %+.1f points at most.", d.name, held, of, 100*off))
		}
	}
	for _, at := range points {
		table.Rows = append(table.Rows, []string{at.Load, at.Measure, at.Design, figure.Signed(at.True), figure.Signed(at.Shown), figure.Percent(at.Half), fmt.Sprintf("%d of %d", at.Covered, at.Seeds)})
	}
	page.Sections = []report.Section{{Table: table}}
	return page
}

func described() (all []string) {
	for _, load := range experimentLoads {
		all = append(all, load.made.String())
	}
	return all
}
