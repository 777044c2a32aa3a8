package compare

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/stats"
)

// ExperimentTarget is the name of the target that Options.Experiment adds.
const ExperimentTarget = "experiment"

// Effect is how much less or more of a measure the live policy has than the other: by runs of each, and by an experiment.
type Effect struct {
	Workload   string `json:"workload"`
	Measure    string `json:"measure"`
	Compared   Change `json:"compared"`   // runs of one policy each, paired by round
	Experiment Change `json:"experiment"` // the arms of the experiment, by groups, as the dashboard has it
	Covers     bool   `json:"covers"`     // the experiment's interval holds what was compared
	Answers    int    `json:"answers"`    // of the experiment
	Needed     int    `json:"needed"`     // answers by which an experiment would be exact to ± 0.1: of one session in twenty, or by such windows
}

// Change is Live ÷ Other − 1, with half of its 95 % interval.
type Change struct {
	Live   float64 `json:"live"`  // mean
	Other  float64 `json:"other"` // mean
	Change float64 `json:"change"`
	Half   float64 `json:"half"`
}

func (c Change) String() string { return fmt.Sprintf("%+.1f%% ± %.1f", 100*c.Change, 100*c.Half) }

// withExperiment adds the target: the second one's policy, with a share of the sessions or the time by the first's.
func (o *Options) withExperiment() error {
	switch {
	case o.Experiment == 0 && o.Window != 0:
		return errors.New("experiment: there is none whose window could be set")
	case o.Experiment == 0:
		return nil
	case !(o.Experiment > 0 && o.Experiment < 1):
		return fmt.Errorf("experiment: %v is not within 0 to 1", o.Experiment)
	case len(o.Targets) != 2 || o.Targets[0].URL != "" || o.Targets[1].URL != "":
		return errors.New("experiment: there must be two policies, the other and the live one")
	case len(o.Targets[0].Plugin) > 1:
		return errors.New("experiment: the other policy's target has settings of its own")
	case o.Window < 0 || o.Window%time.Millisecond > 0:
		return fmt.Errorf("experiment: the window %v is below 0, or not in whole ms", o.Window)
	}
	live := Target{Name: ExperimentTarget, Plugin: map[string]any{}}
	for name, value := range o.Targets[1].Plugin {
		live.Plugin[name] = value
	}
	live.Plugin["experiment"] = map[string]any{"share": o.Experiment, "policy": o.Targets[0].Plugin["policy"], "window": fmt.Sprintf("%dms", o.Window.Milliseconds())}
	o.Targets = append(o.Targets[:2:2], live)
	return nil
}

// effects compares a workload's runs of the two policies, and the arms of its experiments.
func (r *Result) effects(load string) []Effect {
	other, live, both := r.of(load, r.Made.Targets[0]), r.of(load, r.Made.Targets[1]), r.of(load, ExperimentTarget)
	var a Arms
	answers := 0.0
	for _, run := range both {
		a.Live, a.Experiment = a.Live.plus(&run.Arms.Live), a.Experiment.plus(&run.Arms.Experiment)
	}
	for i := range groups {
		answers += a.Live.Answers[i] + a.Experiment.Answers[i]
	}
	for _, arm := range []*Arm{&a.Live, &a.Experiment} {
		if !(stats.Mean(arm.ttft()) > 0 && stats.Mean(arm.computed()) > 0) {
			return nil // no session has fallen into it
		}
	}
	computed := func(p *Pass) float64 { return float64(p.PromptTokens - p.CachedTokens) }
	var all []Effect
	for _, of := range []struct {
		measure                        string
		live, other, liveArm, otherArm []stats.Cluster
	}{
		{"TTFT ms", rounds(live, ttft), rounds(other, ttft), a.Live.ttft(), a.Experiment.ttft()},
		{"prefill tokens", rounds(live, computed), rounds(other, computed), a.Live.computed(), a.Experiment.computed()},
	} {
		liveArm, otherArm := counted(of.liveArm, of.otherArm)
		if several(liveArm) && several(otherArm) && stats.Mean(of.live) > 0 && stats.Mean(of.other) > 0 { // or there is no interval, or no ratio
			all = append(all, r.newEffect(load, of.measure, of.live, of.other, liveArm, otherArm, answers))
		}
	}
	return all
}

func ttft(p *Pass) float64 { return p.TTFT.Mean * float64(p.Requests-p.Errors) }

func rounds(runs []*Pass, sum func(*Pass) float64) []stats.Cluster {
	var out []stats.Cluster
	for _, p := range runs {
		out = append(out, stats.Cluster{N: float64(p.Requests - p.Errors), Sum: sum(p)})
	}
	return out
}

func (r *Result) newEffect(load, measure string, live, other, liveArm, otherArm []stats.Cluster, answers float64) Effect {
	e := Effect{Workload: load, Measure: measure, Answers: int(answers), Compared: paired(live, other), Experiment: paired(liveArm, otherArm)}
	e.Covers = math.Abs(e.Experiment.Change-e.Compared.Change) <= e.Experiment.Half
	const small, exact = 0.05, 0.1
	half := e.Experiment.Half
	if r.Made.WindowS == 0 { // the variance of an arm's mean goes with one over its requests
		inLive, inOther := stats.Variance(stats.Residuals(liveArm)), stats.Variance(stats.Residuals(otherArm))
		half = (1 + e.Experiment.Change) * stats.Half(inLive*(1-r.Made.Experiment)/(1-small)+inOther*r.Made.Experiment/small, len(liveArm)-1)
	}
	e.Needed = int(math.Ceil(answers * half * half / (exact * exact)))
	return e
}

// several reports whether more than one group has something: of one alone nobody knows how far it is off.
func several(arm []stats.Cluster) bool {
	n := 0
	for _, c := range arm {
		if c.N > 0 {
			n++
		}
	}
	return n > 1
}

// counted are the groups in which either arm has something: in a short experiment not every one has had a window.
func counted(live, other []stats.Cluster) (a, b []stats.Cluster) {
	for i := range live {
		if live[i].N+other[i].N > 0 {
			a, b = append(a, live[i]), append(b, other[i])
		}
	}
	return a, b
}

// paired is the change between two targets' runs, by round, or between two arms, by group. Runs of a round had the same requests, and
// windows of a group about the same traffic, so their differences say how exact it is; those of groups of sessions are as
// far apart as chance makes them.
func paired(live, other []stats.Cluster) Change {
	c, differences := newChange(live, other), stats.Residuals(live)
	for i, r := range stats.Residuals(other) {
		differences[i] -= r
	}
	if len(live) > 1 {
		c.Half = (1 + c.Change) * stats.Half(stats.Variance(differences), len(live)-1)
	}
	return c
}

func newChange(live, other []stats.Cluster) Change {
	c := Change{Live: stats.Mean(live), Other: stats.Mean(other)}
	c.Change = c.Live/c.Other - 1
	return c
}

// effectsTable is without rows where there is no experiment.
func (r *Result) effectsTable(load string) report.Table {
	if r.Made.Experiment == 0 {
		return report.Table{}
	}
	on, small := fmt.Sprintf("%g %% of the sessions", 100*r.Made.Experiment), "on 5 % of the sessions"
	if r.Made.WindowS > 0 {
		on, small = fmt.Sprintf("%g %% of the time, in windows of %g s", 100*r.Made.Experiment, r.Made.WindowS), "of such windows"
	}
	t := report.Table{
		Title: load + ": what an experiment shows",
		Note: fmt.Sprintf("%s against %s, %% less (−) or more. By runs of each: the mean difference over rounds. By an experiment on %s, from the module's "+
			"counters alone: as the dashboard has it. Intervals of 95 %%. Needed: answers by which an experiment %s would be exact to ± 10 %%.",
			r.Made.Targets[1], r.Made.Targets[0], on, small),
		Columns: []string{"measure", "live", "other", "change", "live arm", "other arm", "change", "holds it", "answers", "needed"},
	}
	for _, e := range r.Effects {
		if e.Workload != load {
			continue
		}
		holds := map[bool]string{true: "yes", false: "no"}[e.Covers]
		t.Rows = append(t.Rows, []string{e.Measure, number1(e.Compared.Live), number1(e.Compared.Other), e.Compared.String(),
			number1(e.Experiment.Live), number1(e.Experiment.Other), e.Experiment.String(), holds, strconv.Itoa(e.Answers), strconv.Itoa(e.Needed)})
	}
	return t
}
