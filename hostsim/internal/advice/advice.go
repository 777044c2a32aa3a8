// Package advice judges one trace: what routing by prefix is worth on it, what limits that, how many replicas it takes, and which
// configuration follows. It asks a sweep for replays; it writes no file.
package advice

import (
	"fmt"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/verdict"
	"warmroute/hostsim/internal/vllm"
)

// Advice is what routing by prefix is worth on a trace.
type Advice struct {
	Verdict   string           `json:"verdict"`
	Policy    string           `json:"policy"` // to use
	Helps     bool             `json:"helps"`
	ByLoad    string           `json:"by_load_policy"` // the best policy by load: what a gateway could do without this module
	Replicas  int              `json:"replicas"`
	Gain      verdict.Interval `json:"gain_ttft_mean"`      // 1 − TTFT with the default ÷ TTFT by load, paired by seed
	GainP95   verdict.Interval `json:"gain_ttft_p95"`       // the same of the 95th percentile
	GainWhole verdict.Interval `json:"gain_e2e_mean"`       // the same of the time to the whole answer
	Saved     verdict.Interval `json:"gain_prefill_tokens"` // the same of the prompt tokens computed
	Fleet     Fleet            `json:"fleet"`
	Bounds    verdict.Bounds   `json:"bounds"`
	Today     *float64         `json:"today_token_hit_ratio,omitempty"` // as the replicas reported it, where the trace says so
	Limit     Limit            `json:"limit"`
	Goals     []Goal           `json:"slo,omitempty"`
	Seeds     int              `json:"seeds"`
	Busy      float64          `json:"busy_share"` // of the replicas' time, by load
	Affinity  *Tuning          `json:"affinity,omitempty"`
	Means     [2]Means         `json:"means"` // over the judged arrangements: by load, and with the default
	Requests  int              `json:"requests"`
	Refused   int              `json:"refused,omitempty"` // of them: prompt and answer are longer than a replica's memory; they count in no time
	runs      []*replay.Result
	profile   vllm.Profile
}

// Means are means over several arrangements of the trace.
type Means struct {
	TTFT  float64 `json:"ttft_mean_ms"`
	P95   float64 `json:"ttft_p95_ms"`
	Whole float64 `json:"e2e_mean_ms"`
	Hit   float64 `json:"token_hit_ratio"`
}

func (m *Means) add(r *replay.Result, weight float64) {
	m.TTFT += weight * r.TTFT.Mean
	m.P95 += weight * r.TTFT.P95
	m.Whole += weight * r.Latency.Mean
	m.Hit += weight * r.TokenHitRatio
}

// moreMemory is how much more KV memory is tried, to see whether memory limits the hits.
const moreMemory = 4

// Give judges the sweep's trace: the policy by load is chosen on the trace as it is, and judged with the default on
// as many others as seeds says, in which each session comes up to 20 s earlier or later. If it is interrupted when two of these
// are done, the error comes with the advice that they give, without numbers of replicas. later is how many replays the caller plans
// afterwards, for the sweep's Progress.
func Give(s *sweep.Sweep, seeds, later int, goals []Goal) (*Advice, error) {
	base := s.Base.Trace
	a := &Advice{Replicas: s.Base.Replicas, Goals: goals, Seeds: seeds, Requests: len(base.Requests), profile: s.Base.Profile}
	if base.Counted > 0 {
		share := float64(base.Cached) / float64(base.Counted)
		a.Today = &share
	}
	var err error
	if a.Bounds, err = verdict.NewBounds(&s.Base); err != nil {
		return nil, err
	}
	s.Total = later + 3 + len(contender.LoadOnly) + 1 + 2*seeds + searches(1, a.Replicas) + searches(a.Replicas, fleetMost(a.Replicas))
	if len(goals) > 0 {
		s.Total += 2 * searches(1, fleetMost(a.Replicas))
	}
	jobs := []*sweep.Job{}
	add := func(what string, change func(*replay.Options)) *sweep.Job {
		jobs = append(jobs, &sweep.Job{What: what, Change: change})
		return jobs[len(jobs)-1]
	}
	for _, policy := range append([]string{"round_robin", "prefix_hash", contender.Default}, contender.LoadOnly...) {
		add(policy, func(o *replay.Options) { contender.Set(o, policy) })
	}
	roomy := add(fmt.Sprintf("%d times the memory", moreMemory), func(o *replay.Options) {
		o.Policy = contender.Default
		o.Profile.KVBlocks *= moreMemory
	})
	if err := s.All(jobs...); err != nil {
		return nil, err
	}
	var ours, load *replay.Result
	for _, j := range jobs[:len(jobs)-1] {
		a.runs = append(a.runs, j.Result)
		switch {
		case j.Result.Policy == contender.Default:
			ours = j.Result
		case contender.ByLoad(j.Result.Policy) && (load == nil || j.Result.TTFT.Mean < load.TTFT.Mean):
			load = j.Result
		}
	}
	if a.Refused = ours.Rejected; a.Refused == a.Requests {
		return nil, fmt.Errorf("prompt and answer of every request are longer than a replica's memory of %d KV tokens", s.Base.Profile.KVTokens())
	}
	a.ByLoad, a.Busy = load.Policy, load.Busy
	if err = a.judgeSeeds(s, seeds); err != nil && a.Seeds < 2 {
		return nil, err
	}
	if err == nil && !a.tooFew() {
		if err = a.fleet(s, ours, load); err != nil {
			a.Fleet = Fleet{}
		}
	}
	a.Limit = a.limit(ours, roomy.Result, newSkew(base, s.Base.Profile.BlockSize))
	a.judge()
	return a, err
}

// judgeSeeds compares the default with the chosen policy by load on other arrangements of the trace. If it is interrupted, it judges
// by those that are whole.
func (a *Advice) judgeSeeds(s *sweep.Sweep, seeds int) error {
	base := s.Base.Trace
	var jobs []*sweep.Job
	for seed := 1; seed <= seeds; seed++ {
		moved := loads.Jitter(base, uint64(seed), loads.JitterSpan)
		for _, policy := range []string{a.ByLoad, contender.Default} {
			jobs = append(jobs, &sweep.Job{What: fmt.Sprintf("%s, seed %d", policy, seed), Change: func(o *replay.Options) {
				o.Trace, o.Seed = moved, uint64(seed)+1
				contender.Set(o, policy)
			}})
		}
	}
	err := s.All(jobs...)
	a.Seeds = 0
	for i := 0; i < len(jobs); i += 2 {
		if jobs[i].Result != nil && jobs[i+1].Result != nil {
			a.Seeds++
		}
	}
	var ttft, p95, whole, saved []float64
	for i := 0; i < len(jobs); i += 2 {
		load, ours := jobs[i].Result, jobs[i+1].Result
		if load == nil || ours == nil {
			continue
		}
		ttft = append(ttft, 1-ours.TTFT.Mean/load.TTFT.Mean)
		p95 = append(p95, 1-ours.TTFT.P95/load.TTFT.P95)
		whole = append(whole, 1-ours.Latency.Mean/load.Latency.Mean)
		saved = append(saved, 1-(1-ours.TokenHitRatio)/(1-load.TokenHitRatio))
		a.Means[0].add(load, 1/float64(a.Seeds))
		a.Means[1].add(ours, 1/float64(a.Seeds))
	}
	a.Gain, a.GainP95, a.GainWhole, a.Saved = verdict.Confidence(ttft), verdict.Confidence(p95), verdict.Confidence(whole), verdict.Confidence(saved)
	return err
}
