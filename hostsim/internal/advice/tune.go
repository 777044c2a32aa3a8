package advice

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/verdict"
)

// usualAffinity is the configuration's default of cache_aware.affinity.
const usualAffinity = 1.0

func withAffinity(a float64) map[string]any {
	return map[string]any{"cache_aware": map[string]any{"affinity": a}}
}

// Tuning is what Tune found.
type Tuning struct {
	Affinity   float64          `json:"affinity"`          // the best that was found
	ByLoad     string           `json:"by_load_policy"`    // the best policy by load
	Gain       verdict.Interval `json:"gain_over_by_load"` // 1 − TTFT with that affinity ÷ that policy's, paired by seed
	OverOurs   verdict.Interval `json:"gain_over_default"` // the same against the default affinity
	Default    verdict.Interval `json:"default_over_load"` // of the default affinity against that policy
	Hit        float64          `json:"token_hit_ratio"`   // with that affinity, mean
	Infinite   float64          `json:"infinite_cache"`    // bound
	Helps      bool             `json:"helps"`
	Verdict    string           `json:"verdict"`
	Candidates []Candidate      `json:"candidates"`
}

// Candidate is an affinity that was tried, with the mean TTFT over the seeds of the search.
type Candidate struct {
	Affinity float64 `json:"affinity"`
	TTFT     float64 `json:"ttft_mean_ms"`
}

// tuneAffinities are what Tune tries.
var tuneAffinities = []float64{0.125, 0.25, 0.5, 1, 2, 4, 8}

// TuneReplays is how many replays Tune takes.
func TuneReplays(search, seeds int) int {
	return len(tuneAffinities)*search + len(contender.LoadOnly) + 3*seeds
}

// Tune searches the best affinity for the sweep's trace on the first search seeds, and judges them on as many others as seeds says.
func Tune(s *sweep.Sweep, search, seeds int) (*Tuning, error) {
	base := s.Base.Trace
	with := func(policy string, affinity float64, seed uint64) (*replay.Result, error) {
		return s.Run(fmt.Sprintf("seed %d, %s, affinity %g", seed, policy, affinity), func(o *replay.Options) {
			o.Trace, o.Seed, o.Plugin = loads.Jitter(base, seed, loads.JitterSpan), seed+1, withAffinity(affinity)
			contender.Set(o, policy)
		})
	}
	out := &Tuning{}
	best := math.Inf(1)
	for _, a := range tuneAffinities {
		mean := 0.0
		for seed := range search {
			r, err := with(contender.Default, a, uint64(seed))
			if err != nil {
				return nil, err
			}
			mean += r.TTFT.Mean / float64(search)
		}
		out.Candidates = append(out.Candidates, Candidate{a, mean})
		if mean < best {
			best, out.Affinity = mean, a
		}
	}
	least := math.Inf(1)
	for _, policy := range contender.LoadOnly {
		r, err := with(policy, usualAffinity, 0)
		if err != nil {
			return nil, err
		}
		if r.TTFT.Mean < least {
			least, out.ByLoad = r.TTFT.Mean, policy
		}
	}
	var gains, over, plain []float64
	for i := range seeds {
		seed := uint64(search + i) // none that the search has seen
		byLoad, err := with(out.ByLoad, usualAffinity, seed)
		if err != nil {
			return nil, err
		}
		tuned, err := with(contender.Default, out.Affinity, seed)
		if err != nil {
			return nil, err
		}
		usual, err := with(contender.Default, usualAffinity, seed)
		if err != nil {
			return nil, err
		}
		gains = append(gains, 1-tuned.TTFT.Mean/byLoad.TTFT.Mean)
		over = append(over, 1-tuned.TTFT.Mean/usual.TTFT.Mean)
		plain = append(plain, 1-usual.TTFT.Mean/byLoad.TTFT.Mean)
		out.Hit += tuned.TokenHitRatio / float64(seeds)
		out.Infinite = tuned.InfiniteCache
	}
	out.Gain, out.OverOurs, out.Default = verdict.Confidence(gains), verdict.Confidence(over), verdict.Confidence(plain)
	out.judge()
	return out, nil
}

// judge says whether it helps: where the whole interval of the gain is above what is none to speak of.
func (t *Tuning) judge() {
	const few = 0.05 // of the prompt tokens
	t.Helps = t.Gain.Low > verdict.NoGain
	switch {
	case t.Helps:
		t.Verdict = fmt.Sprintf("This will help you: against %s, the best policy by load, the mean time to the first token is %s shorter.", t.ByLoad, t.Gain)
	case t.Gain.High < verdict.NoGain, t.Infinite < few:
		t.Verdict = fmt.Sprintf("This will not help you: against %s, the best policy by load, the gain in mean time to the first token is %s.", t.ByLoad, t.Gain)
	default:
		t.Verdict = fmt.Sprintf("This trace does not show whether this will help you: the gain over %s, the best policy by load, is %s.", t.ByLoad, t.Gain)
	}
	if t.Infinite < few {
		t.Verdict += fmt.Sprintf(" Only %s of the prompt tokens ever repeat.", figure.Percent(t.Infinite))
	}
	if t.Helps {
		if t.OverOurs.Low > verdict.NoGain {
			t.Verdict += fmt.Sprintf(" Set cache_aware.affinity to %s: that is %s better than the default.", figure.Plain(t.Affinity), t.OverOurs)
		} else {
			t.Verdict += fmt.Sprintf(" There is nothing to tune: the best affinity that was found, %s, differs from the default by %s.", figure.Plain(t.Affinity), t.OverOurs)
		}
	}
}

// section shows the affinities that were tried.
func (t *Tuning) section() report.Section {
	best := math.Inf(1)
	for _, c := range t.Candidates {
		best = min(best, c.TTFT)
	}
	grid := report.Grid{Title: "Mean time to the first token", X: "affinity", Y: "policy"}
	row := report.GridRow{Name: contender.Default}
	for _, c := range t.Candidates {
		grid.Columns = append(grid.Columns, figure.Plain(c.Affinity))
		row.Cells = append(row.Cells, report.Cell{Text: figure.Millis(c.TTFT), Good: 1 - 2*math.Min((c.TTFT/best-1)/0.5, 1), Best: c.Affinity == t.Affinity})
	}
	grid.Rows = []report.GridRow{row}
	return report.Section{Grids: []report.Grid{grid}}
}
