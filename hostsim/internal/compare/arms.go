package compare

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/stats"
)

const groups = 16 // of sessions or windows: docs/policies.md

// Arms are what the module counted of the two arms of a live experiment.
type Arms struct {
	Live       Arm `json:"live"`
	Experiment Arm `json:"experiment"`
}

// Arm is what was counted of one arm, by group of sessions or of windows.
type Arm struct {
	Streams  [groups]float64 `json:"streams"` // that had a first token
	TTFT     [groups]float64 `json:"ttft_ms"` // of them, sum
	Answers  [groups]float64 `json:"answers"` // with a usage
	Computed [groups]float64 `json:"computed_tokens"`
}

// settle is how long the counts stand still when all are told: the module tells them once a second.
const settle = 3 * time.Second

// arms reads what the module counted, when it has told all: of this many answers, or, where those after a change of windows are in no
// arm, when some are counted, no request is in flight and no more come.
func arms(ctx context.Context, g *gateway.Gateway, answered float64, windows bool) (*Arms, error) {
	last, since := -1.0, time.Now()
	for deadline := time.Now().Add(time.Minute); ; {
		page, err := g.Get("/stats/prometheus?usedonly")
		if err != nil {
			return nil, err
		}
		a, busy := readArms(page)
		counted := 0.0
		for i := range groups {
			counted += a.Live.Answers[i] + a.Experiment.Answers[i]
		}
		if counted != last || busy > 0 {
			last, since = counted, time.Now()
		}
		switch {
		case counted >= answered, windows && counted > 0 && time.Since(since) > settle:
			return a, nil
		case time.Now().After(deadline):
			return nil, fmt.Errorf("the experiment has counted %.0f answers of %.0f", counted, answered)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// readArms is what a page of Envoy's has of both arms, and how many requests are in flight.
func readArms(page string) (a *Arms, busy float64) {
	a = &Arms{}
	for line := range strings.Lines(page) {
		name, labels, value, ok := sample(strings.TrimSpace(line))
		if ok && name == "warmroute_in_flight" {
			busy += value
		}
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
	return a, busy
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
