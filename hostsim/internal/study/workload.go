package study

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/verdict"
	"warmroute/hostsim/internal/vllm"
)

// WorkloadPoint is one load, with and without knowing prompts.
type WorkloadPoint struct {
	Factor   string           `json:"factor"`
	Value    float64          `json:"value"`
	Ours     float64          `json:"ttft_mean_ms"`         // of the default, mean over the seeds
	ByLoad   float64          `json:"by_load_ttft_mean_ms"` // of the best policy by load
	Hit      float64          `json:"token_hit_ratio"`
	HitLoad  float64          `json:"by_load_token_hit_ratio"`
	Infinite float64          `json:"infinite_cache"`
	Gain     verdict.Interval `json:"gain"` // 1 − ours ÷ by load, paired by seed
}

// factor is one thing that is varied while all others stay as in Usual.
type factor struct {
	name, label string
	values      []float64
	set         func(m *loads.Made, replicas *int, v float64)
	log         bool
}

var factors = []factor{
	{"reuse", "share of sessions with a shared prefix", []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 1}, func(m *loads.Made, _ *int, v float64) { m.Reuse = v }, false},
	{"turns", "turns of a session, mean", []float64{1, 2, 3, 5, 8}, func(m *loads.Made, _ *int, v float64) { m.Turns = v }, false},
	{"prefix", "tokens of the prefix", []float64{64, 256, 1024, 4096, 16384}, func(m *loads.Made, _ *int, v float64) { m.PrefixTokens = int(v) }, true},
	{"prefixes", "shared prefixes", []float64{1, 4, 16, 64, 256, 1024}, func(m *loads.Made, _ *int, v float64) { m.Prefixes = int(v) }, true},
	{"load", "load", []float64{0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.4}, func(m *loads.Made, _ *int, v float64) { m.Load = v }, false},
	{"replicas", "replicas", []float64{1, 2, 4, 8, 16, 32}, func(_ *loads.Made, n *int, v float64) { *n = int(v) }, true},
}

// Workload varies one thing at a time. The sweep's base gives the profile and the replicas. An error comes with the points of the
// factors that are whole.
func Workload(s *sweep.Sweep, seeds int) ([]WorkloadPoint, error) {
	var points []WorkloadPoint
	s.Total = 0
	for _, f := range factors {
		s.Total += len(f.values) * seeds * (len(contender.LoadOnly) + 1)
	}
	for _, f := range factors {
		whole := len(points)
		for _, v := range f.values {
			p := WorkloadPoint{Factor: f.name, Value: v}
			var gains []float64
			for seed := range seeds {
				m, replicas := loads.Usual, s.Base.Replicas
				f.set(&m, &replicas, v)
				t := m.Trace(uint64(seed+1), replicas, s.Base.Profile)
				if err := p.add(s, t, replicas, uint64(seed+1), 1/float64(seeds), &gains); err != nil {
					return points[:whole], err
				}
			}
			p.Gain = verdict.Confidence(gains)
			points = append(points, p)
		}
	}
	return points, nil
}

// WorkloadPoints is how many points Workload makes.
func WorkloadPoints() (n int) {
	for _, f := range factors {
		n += len(f.values)
	}
	return n
}

func (p *WorkloadPoint) add(s *sweep.Sweep, t *trace.Trace, replicas int, seed uint64, weight float64, gains *[]float64) error {
	what := fmt.Sprintf("%s %s", p.Factor, figure.Plain(p.Value))
	change := func(o *replay.Options) { o.Trace, o.Replicas, o.Seed = t, replicas, seed }
	base, err := s.Least(what, change)
	if err != nil {
		return err
	}
	ours, err := s.Run(what, func(o *replay.Options) { change(o); o.Policy = contender.Default })
	if err != nil {
		return err
	}
	*gains = append(*gains, 1-ours.TTFT.Mean/base.TTFT.Mean)
	p.Ours += weight * ours.TTFT.Mean
	p.ByLoad += weight * base.TTFT.Mean
	p.Hit += weight * ours.TokenHitRatio
	p.HitLoad += weight * base.TokenHitRatio
	p.Infinite += weight * ours.InfiniteCache
	return nil
}

// WorkloadPage shows the gain along each factor, with what it says.
func WorkloadPage(points []WorkloadPoint, p vllm.Profile, replicas int) (*report.Page, error) {
	page := &report.Page{
		Title: "Which workload gains?",
		Foot: fmt.Sprintf("hostsim study workload, native engine, %d replicas of %s, %d KV tokens each. Where it is not varied: %s. Load is the share of the fleet's time that computing every prompt whole would take. "+
			"The gain is by mean time to the first token, of %s against the best of %s.", replicas, p.Name, p.KVTokens(), loads.Usual, contender.Default, strings.Join(contender.LoadOnly, ", ")),
	}
	helped, none, hurt := 0, 0, 0
	for _, at := range points {
		switch {
		case at.Gain.Mean >= verdict.Helps:
			helped++
		case at.Gain.Mean < -verdict.NoGain:
			hurt++
		default:
			none++
		}
	}
	page.Lead = fmt.Sprintf("Knowing prompts shortens the mean time to the first token by 5 %% or more in %d of %d workloads, makes no such difference in %d and lengthens it by more than 2 %% in %d.", helped, len(points), none, hurt)
	section := report.Section{Table: report.Table{Title: "The gain along each factor", Columns: []string{"factor", "value", "gain", "95 % interval", "TTFT ms", "by load, ms", "hit rate", "by load", "infinite cache"}}}
	for _, f := range factors {
		var of []WorkloadPoint
		for _, at := range points {
			if at.Factor == f.name {
				of = append(of, at)
				section.Rows = append(section.Rows, []string{f.label, figure.Plain(at.Value), figure.Percent(at.Gain.Mean), figure.Percent(at.Gain.Low) + " to " + figure.Percent(at.Gain.High),
					figure.Decimal(at.Ours, 1), figure.Decimal(at.ByLoad, 1), figure.Percent(at.Hit), figure.Percent(at.HitLoad), figure.Percent(at.Infinite)})
			}
		}
		if len(of) == 0 {
			continue // interrupted before
		}
		page.Findings = append(page.Findings, f.finding(of))
		gain := report.Line{Name: "gain in mean TTFT"}
		more := report.Line{Name: "tokens found more than by load"}
		for _, at := range of {
			gain.X, gain.Y = append(gain.X, at.Value), append(gain.Y, 100*at.Gain.Mean)
			more.X, more.Y = append(more.X, at.Value), append(more.Y, 100*(at.Hit-at.HitLoad))
		}
		plot, err := report.Lines(report.LineChart{X: f.label, Y: "%", LogX: f.log, Dots: true, Half: true, Signed: true, Lines: []report.Line{gain, more}})
		if err != nil {
			return nil, err
		}
		section.Plots = append(section.Plots, plot)
	}
	plots := report.Section{Table: report.Table{Title: "Factor by factor"}, Plots: section.Plots}
	section.Plots = nil
	page.Sections = []report.Section{plots, section}
	return page, nil
}

// finding says at which values of the factor the gain is worth having.
func (f *factor) finding(of []WorkloadPoint) string {
	best, worst := of[0], of[0]
	var from []WorkloadPoint
	for _, at := range of {
		if at.Gain.Mean > best.Gain.Mean {
			best = at
		}
		if at.Gain.Mean < worst.Gain.Mean {
			worst = at
		}
		if at.Gain.Mean >= verdict.Helps {
			from = append(from, at)
		}
	}
	text := fmt.Sprintf("By %s: the largest gain is at %s, %s; the smallest at %s, %s.", f.label, figure.Plain(best.Value), best.Gain, figure.Plain(worst.Value), worst.Gain)
	if len(from) == 0 {
		return text + " The gain is below 5 % at every value."
	}
	first := slices.Index(of, from[0])
	switch {
	case len(from) == len(of):
		return text + " The gain is 5 % or more at every value."
	case len(from) == 1 || first+len(from) > len(of) || of[first+len(from)-1] != from[len(from)-1]: // others are between them
		var at []string
		for _, p := range from {
			at = append(at, figure.Plain(p.Value))
		}
		if last := len(at) - 1; last > 0 {
			at = append(at[:last-1], at[last-1]+" and "+at[last])
		}
		return text + " The gain is 5 % or more at " + strings.Join(at, ", ") + "."
	case from[0].Value > of[0].Value && from[len(from)-1].Value == of[len(of)-1].Value:
		return text + fmt.Sprintf(" The gain is 5 %% or more from %s on.", figure.Plain(from[0].Value))
	case from[0].Value == of[0].Value:
		return text + fmt.Sprintf(" The gain is 5 %% or more up to %s.", figure.Plain(from[len(from)-1].Value))
	}
	return text + fmt.Sprintf(" The gain is 5 %% or more between %s and %s.", figure.Plain(from[0].Value), figure.Plain(from[len(from)-1].Value))
}
