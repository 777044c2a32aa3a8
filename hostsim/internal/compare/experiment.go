package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/stats"
)

// ExperimentTarget is the name of the target that Options.Experiment adds.
const ExperimentTarget = "experiment"

// Arms are what the module counted of the two arms of a live experiment.
type Arms struct {
	Live       Arm `json:"live"`
	Experiment Arm `json:"experiment"`
}

// Arm is what was counted of one arm, by group of sessions.
type Arm struct {
	Streams  [groups]float64 `json:"streams"` // that had a first token
	TTFT     [groups]float64 `json:"ttft_ms"` // of them, sum
	Answers  [groups]float64 `json:"answers"` // with a usage
	Computed [groups]float64 `json:"computed_tokens"`
}

const (
	groups = 16  // of sessions in an arm: docs/policies.md
	t95    = 2.1 // standard errors of 16 to 32 groups that hold 95 %: the dashboard's
)

// Effect is how much less or more of a measure the live policy has than the other: by runs of each, and by an experiment.
type Effect struct {
	Workload   string `json:"workload"`
	Measure    string `json:"measure"`
	Compared   Change `json:"compared"`   // runs of one policy each, paired by round
	Experiment Change `json:"experiment"` // the arms of the experiment, by groups of sessions, as the dashboard has it
	Covers     bool   `json:"covers"`     // the experiment's interval holds what was compared
	Answers    int    `json:"answers"`    // of the experiment
	Needed     int    `json:"needed"`     // answers by which an experiment of one session in twenty would be exact to ± 0.1
}

// Change is Live ÷ Other − 1, with half of its 95 % interval.
type Change struct {
	Live   float64 `json:"live"`  // mean
	Other  float64 `json:"other"` // mean
	Change float64 `json:"change"`
	Half   float64 `json:"half"`
}

func (c Change) String() string { return fmt.Sprintf("%+.1f%% ± %.1f", 100*c.Change, 100*c.Half) }

// withExperiment adds the target: the second one's policy, with a share of the sessions by the first's.
func (o *Options) withExperiment() error {
	switch {
	case o.Experiment == 0:
		return nil
	case !(o.Experiment > 0 && o.Experiment < 1):
		return fmt.Errorf("experiment: %v is not within 0 to 1", o.Experiment)
	case len(o.Targets) != 2 || o.Targets[0].URL != "" || o.Targets[1].URL != "":
		return errors.New("experiment: there must be two policies, the other and the live one")
	case len(o.Targets[0].Plugin) > 1:
		return errors.New("experiment: the other policy's target has settings of its own")
	}
	live := Target{Name: ExperimentTarget, Plugin: map[string]any{}}
	for name, value := range o.Targets[1].Plugin {
		live.Plugin[name] = value
	}
	live.Plugin["experiment"] = map[string]any{"share": o.Experiment, "policy": o.Targets[0].Plugin["policy"]}
	o.Targets = append(o.Targets[:2:2], live)
	return nil
}

// arms reads what the module counted, when it has counted all answers: it does so once a second.
func arms(ctx context.Context, g *gateway.Gateway, answered float64) (*Arms, error) {
	for deadline := time.Now().Add(30 * time.Second); ; {
		page, err := g.Get("/stats/prometheus?usedonly")
		if err != nil {
			return nil, err
		}
		a := readArms(page)
		counted := 0.0
		for i := range groups {
			counted += a.Live.Answers[i] + a.Experiment.Answers[i]
		}
		if counted >= answered {
			return a, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the experiment has counted %.0f answers of %.0f", counted, answered)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func readArms(page string) *Arms {
	a := &Arms{}
	for line := range strings.Lines(page) {
		name, labels, value, ok := sample(strings.TrimSpace(line))
		measure, found := strings.CutPrefix(name, "warmroute_experiment_")
		group, err := strconv.Atoi(label(labels, "group"))
		if !ok || !found || err != nil || group < 0 || group >= groups {
			continue
		}
		arm := &a.Live
		if label(labels, "arm") == "experiment" {
			arm = &a.Experiment
		}
		switch measure {
		case "streams_total":
			arm.Streams[group] += value
		case "ttft_milliseconds_total":
			arm.TTFT[group] += value
		case "answers_total":
			arm.Answers[group] += value
		case "computed_tokens_total":
			arm.Computed[group] += value
		}
	}
	return a
}

// plus adds another round's.
func (a Arm) plus(o *Arm) Arm {
	for i := range groups {
		a.Streams[i] += o.Streams[i]
		a.TTFT[i] += o.TTFT[i]
		a.Answers[i] += o.Answers[i]
		a.Computed[i] += o.Computed[i]
	}
	return a
}

func (a *Arm) ttft() []stats.Cluster     { return clusters(&a.Streams, &a.TTFT) }
func (a *Arm) computed() []stats.Cluster { return clusters(&a.Answers, &a.Computed) }

func clusters(n, sums *[groups]float64) []stats.Cluster {
	var out []stats.Cluster
	for i := range groups {
		out = append(out, stats.Cluster{N: n[i], Sum: sums[i]})
	}
	return out
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
	return []Effect{
		newEffect(load, "TTFT ms", rounds(live, ttft), rounds(other, ttft), a.Live.ttft(), a.Experiment.ttft(), answers, r.Made.Experiment),
		newEffect(load, "prefill tokens", rounds(live, computed), rounds(other, computed), a.Live.computed(), a.Experiment.computed(), answers, r.Made.Experiment),
	}
}

func ttft(p *Pass) float64 { return p.TTFT.Mean * float64(p.Requests-p.Errors) }

func rounds(runs []*Pass, sum func(*Pass) float64) []stats.Cluster {
	var out []stats.Cluster
	for _, p := range runs {
		out = append(out, stats.Cluster{N: float64(p.Requests - p.Errors), Sum: sum(p)})
	}
	return out
}

func newEffect(load, measure string, live, other, liveArm, otherArm []stats.Cluster, answers, share float64) Effect {
	e := Effect{Workload: load, Measure: measure, Answers: int(answers), Compared: paired(live, other), Experiment: newChange(liveArm, otherArm)}
	inLive, inOther := stats.Variance(stats.Residuals(liveArm)), stats.Variance(stats.Residuals(otherArm))
	e.Experiment.Half = (1 + e.Experiment.Change) * t95 * math.Sqrt(inLive+inOther)
	e.Covers = math.Abs(e.Experiment.Change-e.Compared.Change) <= e.Experiment.Half
	// The variance of an arm's mean goes with one over its requests.
	const small, exact = 0.05, 0.1
	half := (1 + e.Experiment.Change) * t95 * math.Sqrt(inLive*(1-share)/(1-small)+inOther*share/small)
	e.Needed = int(math.Ceil(answers * half * half / (exact * exact)))
	return e
}

// paired is the change between two targets' runs, by round. Both had the same requests at about the same time, so the rounds'
// differences say how exact it is.
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

func (r *Result) effectsTable(load string) report.Table {
	t := report.Table{
		Title: load + ": what an experiment shows",
		Note: fmt.Sprintf("%s against %s, %% less (−) or more. By runs of each: the mean difference over rounds. By an experiment on %g %% of the sessions, from the module's "+
			"counters alone: as the dashboard has it. Intervals of 95 %%. Needed: answers by which an experiment on 5 %% of the sessions would be exact to ± 10 %%.",
			r.Made.Targets[1], r.Made.Targets[0], 100*r.Made.Experiment),
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
