package study

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
)

// Weights are cache_aware's.
type Weights struct {
	Match float64 `json:"match_weight"`
	Load  float64 `json:"load_weight"`
	Wait  float64 `json:"wait_weight"`
	Busy  float64 `json:"busy_weight"`
}

// defaults are the configuration's.
var defaults = Weights{1, 0.3, 0.3, 0.2}

func (w Weights) plugin() map[string]any {
	return map[string]any{"cache_aware": map[string]any{"match_weight": w.Match, "load_weight": w.Load, "wait_weight": w.Wait, "busy_weight": w.Busy}}
}

func (w Weights) String() string {
	return fmt.Sprintf("match_weight %s, load_weight %s, wait_weight %s, busy_weight %s", num(w.Match), num(w.Load), num(w.Wait), num(w.Busy))
}

// Tuning is what tune found.
type Tuning struct {
	Weights    Weights     `json:"weights"`
	ByLoad     string      `json:"by_load_policy"`    // the best policy by load
	Gain       interval    `json:"gain_over_by_load"` // 1 − TTFT of the weights ÷ that policy's, paired by seed
	OverOurs   interval    `json:"gain_over_default"` // the same against the default weights
	Default    interval    `json:"default_over_load"` // of the default weights against that policy
	Hit        float64     `json:"token_hit_ratio"`   // of the weights, mean
	Infinite   float64     `json:"infinite_cache"`    // bound
	Helps      bool        `json:"helps"`
	Verdict    string      `json:"verdict"`
	Candidates []Candidate `json:"candidates"`
}

// Candidate is weights that were tried, with the mean TTFT over the seeds of the search.
type Candidate struct {
	Weights
	TTFT float64 `json:"ttft_mean_ms"`
}

// What tune tries, match_weight being 1: only the ratios count. First load_weight and wait_weight, then busy_weight at
// the best of these.
var (
	tuneLoads = []float64{0, 0.1, 0.3, 1}
	tuneWaits = []float64{0, 0.1, 0.3, 1}
	tuneBusys = []float64{0, 0.5, 1, 3}
)

// tuneJitter is how far each session is moved either way between seeds, in ns: what traffic might have been.
const tuneJitter = 20e9

// Tune searches weights for the sweep's trace on the first search seeds, and judges them on as many others as seeds says.
func Tune(s *Sweep, search, seeds int) (*Tuning, error) {
	base := s.Base.Trace
	with := func(policy string, w Weights, seed uint64) (*replay.Result, error) {
		return s.Run(fmt.Sprintf("seed %d, %s %+v", seed, policy, w), func(o *replay.Options) {
			o.Trace, o.Seed, o.Policy, o.Plugin = jitter(base, seed, tuneJitter), seed+1, policy, w.plugin()
		})
	}
	out := &Tuning{}
	best := math.Inf(1)
	try := func(w Weights) error {
		mean := 0.0
		for seed := range search {
			r, err := with(Default, w, uint64(seed))
			if err != nil {
				return err
			}
			mean += r.TTFT.Mean / float64(search)
		}
		out.Candidates = append(out.Candidates, Candidate{w, mean})
		if mean < best {
			best, out.Weights = mean, w
		}
		return nil
	}
	for _, load := range tuneLoads {
		for _, wait := range tuneWaits {
			if err := try(Weights{defaults.Match, load, wait, defaults.Busy}); err != nil {
				return nil, err
			}
		}
	}
	at := out.Weights
	for _, busy := range tuneBusys {
		at.Busy = busy
		if err := try(at); err != nil {
			return nil, err
		}
	}
	least := math.Inf(1)
	for _, policy := range Loads {
		r, err := with(policy, defaults, 0)
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
		byLoad, err := with(out.ByLoad, defaults, seed)
		if err != nil {
			return nil, err
		}
		tuned, err := with(Default, out.Weights, seed)
		if err != nil {
			return nil, err
		}
		usual, err := with(Default, defaults, seed)
		if err != nil {
			return nil, err
		}
		gains = append(gains, 1-tuned.TTFT.Mean/byLoad.TTFT.Mean)
		over = append(over, 1-tuned.TTFT.Mean/usual.TTFT.Mean)
		plain = append(plain, 1-usual.TTFT.Mean/byLoad.TTFT.Mean)
		out.Hit += tuned.TokenHitRatio / float64(seeds)
		out.Infinite = tuned.InfiniteCache
	}
	out.Gain, out.OverOurs, out.Default = confidence(gains), confidence(over), confidence(plain)
	out.judge()
	return out, nil
}

// judge says whether it helps: where the whole interval of the gain is above what is none to speak of.
func (t *Tuning) judge() {
	const few = 0.05 // of the prompt tokens
	t.Helps = t.Gain.Low > noGain
	switch {
	case t.Helps:
		t.Verdict = fmt.Sprintf("This will help you: against %s, the best policy by load, the mean time to the first token is %s shorter.", t.ByLoad, t.Gain)
	case t.Gain.High < noGain, t.Infinite < few:
		t.Verdict = fmt.Sprintf("This will not help you: against %s, the best policy by load, the gain in mean time to the first token is %s.", t.ByLoad, t.Gain)
	default:
		t.Verdict = fmt.Sprintf("This trace does not show whether this will help you: the gain over %s, the best policy by load, is %s.", t.ByLoad, t.Gain)
	}
	if t.Infinite < few {
		t.Verdict += fmt.Sprintf(" Only %s of the prompt tokens ever repeat.", Percent(t.Infinite))
	}
	if t.Helps {
		if t.OverOurs.Low > 0 {
			t.Verdict += fmt.Sprintf(" Set %s: that is %s better than the defaults.", t.Weights, t.OverOurs)
		} else {
			t.Verdict += fmt.Sprintf(" Keep the default weights: the best that were found, %s, differ from them by %s.", t.Weights, t.OverOurs)
		}
	}
}

// Page is the tuning as a page.
func (t *Tuning) Page(what string) *report.Page {
	best := math.Inf(1)
	for _, c := range t.Candidates {
		best = min(best, c.TTFT)
	}
	grid := report.Grid{Title: "Mean time to the first token, busy_weight " + num(defaults.Busy), X: "wait_weight", Y: "load_weight"}
	for _, w := range tuneWaits {
		grid.Columns = append(grid.Columns, num(w))
	}
	for i, load := range tuneLoads {
		row := report.GridRow{Name: num(load)}
		for _, c := range t.Candidates[i*len(tuneWaits) : (i+1)*len(tuneWaits)] {
			row.Cells = append(row.Cells, report.Cell{Text: Millis(c.TTFT), Good: 1 - 2*math.Min((c.TTFT/best-1)/0.5, 1), Best: c.Weights == t.Weights})
		}
		grid.Rows = append(grid.Rows, row)
	}
	return &report.Page{
		Title: "Tuning", Lead: t.Verdict, Foot: "hostsim tune, " + what,
		Findings: []string{fmt.Sprintf("The weights find %s of the prompt tokens in caches; one that never forgets would find %s. The default weights are %s better than %s.", Percent(t.Hit), Percent(t.Infinite), t.Default, t.ByLoad)},
		Sections: []report.Section{{
			Table: report.Table{Title: "Weights, where match_weight is 1", Columns: []string{"weights", "value"}, Rows: [][]string{
				{"match_weight", num(t.Weights.Match)}, {"load_weight", num(t.Weights.Load)},
				{"wait_weight", num(t.Weights.Wait)}, {"busy_weight", num(t.Weights.Busy)}}},
			Grids: []report.Grid{grid},
		}},
	}
}
