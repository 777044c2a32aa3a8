package compare

import (
	"slices"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/stats"
)

// Result is a whole comparison.
type Result struct {
	Made      Made      `json:"made"`
	Baseline  string    `json:"baseline"` // the target that the others are compared with
	Summaries []Summary `json:"summaries"`
	Effects   []Effect  `json:"effects,omitempty"` // with an experiment
	Runs      []Pass    `json:"runs"`
}

// Made says how a result was made.
type Made struct {
	Commit      string   `json:"commit"` // of warmroute; a "+" at its end: with uncommitted changes
	Machine     string   `json:"machine"`
	Server      string   `json:"server"` // version that the servers report
	Replicas    int      `json:"replicas"`
	BlockSize   int      `json:"block_size"` // tokens, of the servers' caches
	Isolation   string   `json:"isolation"`  // between runs: reset or salt
	Concurrency int      `json:"concurrency"`
	Rounds      int      `json:"rounds"`
	Seed        uint64   `json:"seed"`
	Workloads   []string `json:"workloads"`
	Targets     []string `json:"targets"`
	Experiment  float64  `json:"experiment,omitempty"` // share of the sessions, or of the time
	WindowS     float64  `json:"window_s,omitempty"`   // of an experiment by time
}

// Pass is one workload sent once through one target.
type Pass struct {
	Workload     string         `json:"workload"`
	Target       string         `json:"target"`
	Round        int            `json:"round"` // from 1
	Seed         uint64         `json:"seed"`
	Requests     int            `json:"requests"`
	Errors       int            `json:"errors"`
	Kinds        map[string]int `json:"errors_by_status,omitempty"` // as bench counts them
	WallS        float64        `json:"wall_s"`
	TTFT         stats.Dist     `json:"ttft_ms"` // the client's
	TPOT         stats.Dist     `json:"tpot_ms"`
	Latency      stats.Dist     `json:"e2e_ms"`
	PromptTokens int            `json:"prompt_tokens"` // by usage
	CachedTokens int            `json:"cached_tokens"`
	Servers      Servers        `json:"servers"`
	Queue        []Sample       `json:"queue"`
	Agreement    *Agreement     `json:"agreement,omitempty"`
	Arms         *Arms          `json:"arms,omitempty"` // of an experiment

	records []bench.Record
}

// Servers is what the replicas' /metrics counted during one or more runs.
type Servers struct {
	Queries   float64    `json:"prefix_cache_queries"`
	Hits      float64    `json:"prefix_cache_hits"`
	HitRate   float64    `json:"hit_rate"`
	Computed  float64    `json:"prefill_kv_computed_tokens"`
	Imbalance float64    `json:"imbalance"`  // most prefill computed by a replica ÷ mean
	TTFT      stats.Dist `json:"ttft_ms"`    // percentiles interpolated within the histogram's buckets
	Queue     float64    `json:"queue_ms"`   // mean of a request: in the scheduler's queue
	Prefill   float64    `json:"prefill_ms"` // from there to its first token; the rest of the TTFT is the server's front end

	histogram Histogram
	queue     float64 // s, of all requests
	prefill   float64
}

// Summary is all rounds of a workload and a target together.
type Summary struct {
	Workload  string     `json:"workload"`
	Target    string     `json:"target"`
	Requests  int        `json:"requests"`
	Errors    int        `json:"errors"`
	TTFT      stats.Dist `json:"ttft_ms"`           // over the requests of all rounds
	TTFTMeans []float64  `json:"ttft_mean_ms"`      // of each round
	Speedup   Spread     `json:"speedup"`           // the baseline's mean TTFT ÷ this one's, by round
	Against   *Change    `json:"against,omitempty"` // the baseline's mean TTFT; nil for itself, and where all failed
	Latency   stats.Dist `json:"e2e_ms"`
	Servers   Servers    `json:"servers"` // counts are sums; imbalance is the mean of the rounds'
	Waiting   float64    `json:"waiting_mean"`
	Busiest   float64    `json:"busiest_mean"` // requests at the replica that has most, mean over samples
	Agreement *Agreement `json:"agreement,omitempty"`

	ttfts []float64
}

// Spread is the median and the range of a figure over rounds.
type Spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		middle = (sorted[len(sorted)/2-1] + middle) / 2
	}
	return Spread{middle, sorted[0], sorted[len(sorted)-1]}
}

// servers sums up what was counted between two readings of all replicas.
func servers(before, after []Counters) Servers {
	var s Servers
	most := 0.0
	for i := range after {
		d := after[i].minus(before[i])
		s.Queries += d.Queries
		s.Hits += d.Hits
		s.Computed += d.Computed
		s.queue += d.Queue
		s.prefill += d.Prefill
		most = max(most, d.Computed)
		s.histogram = s.histogram.plus(d.TTFT)
	}
	if s.Computed > 0 {
		s.Imbalance = most * float64(len(after)) / s.Computed
	}
	s.derive()
	return s
}

// derive computes the ratios from the counts.
func (s *Servers) derive() {
	if s.Queries > 0 {
		s.HitRate = s.Hits / s.Queries
	}
	h := s.histogram
	if n := h.Count(); n > 0 {
		s.Queue, s.Prefill = 1e3*s.queue/n, 1e3*s.prefill/n
		s.TTFT = stats.Dist{Mean: 1e3 * h.Sum / n, P50: 1e3 * h.Quantile(.5), P95: 1e3 * h.Quantile(.95), P99: 1e3 * h.Quantile(.99)}
	}
}

// summarize puts the runs of each workload and target together, in the order of the options.
func (r *Result) summarize() {
	r.Summaries, r.Effects = nil, nil
	for _, load := range r.Made.Workloads {
		base := r.of(load, r.Baseline)
		for _, target := range r.Made.Targets {
			if runs := r.of(load, target); len(runs) > 0 {
				r.Summaries = append(r.Summaries, summary(runs, base))
			}
		}
		if r.Made.Experiment > 0 {
			r.Effects = append(r.Effects, r.effects(load)...)
		}
	}
}

// of is the runs of a workload and a target, by round.
func (r *Result) of(load, target string) (runs []*Pass) {
	for i := range r.Runs {
		if r.Runs[i].Workload == load && r.Runs[i].Target == target {
			runs = append(runs, &r.Runs[i])
		}
	}
	return runs
}

func summary(runs, base []*Pass) Summary {
	s := Summary{Workload: runs[0].Workload, Target: runs[0].Target}
	var latencies, speedups []float64
	var records []bench.Record
	samples := 0
	for i, run := range runs {
		s.Requests += run.Requests
		s.Errors += run.Errors
		s.TTFTMeans = append(s.TTFTMeans, run.TTFT.Mean)
		if i < len(base) && run.TTFT.Mean > 0 {
			speedups = append(speedups, base[i].TTFT.Mean/run.TTFT.Mean)
		}
		records = append(records, run.records...)
		s.Servers.Queries += run.Servers.Queries
		s.Servers.Hits += run.Servers.Hits
		s.Servers.Computed += run.Servers.Computed
		s.Servers.queue += run.Servers.queue
		s.Servers.prefill += run.Servers.prefill
		s.Servers.Imbalance += run.Servers.Imbalance / float64(len(runs))
		s.Servers.histogram = s.Servers.histogram.plus(run.Servers.histogram)
		for _, q := range run.Queue {
			s.Waiting += q.Waiting
			s.Busiest += q.Busiest
			samples++
		}
	}
	for i := range records {
		if !records[i].Failed() {
			s.ttfts = append(s.ttfts, records[i].TTFTMS)
			latencies = append(latencies, records[i].LatencyMS)
		}
	}
	if samples > 0 {
		s.Waiting /= float64(samples)
		s.Busiest /= float64(samples)
	}
	s.TTFT, s.Latency = stats.NewDist(s.ttfts), stats.NewDist(latencies)
	s.Speedup = spread(speedups)
	if len(base) == len(runs) && base[0].Target != s.Target && s.TTFT.Mean > 0 && spread(speedups).Most > 0 {
		c := paired(rounds(runs, ttft), rounds(base, ttft))
		s.Against = &c
	}
	s.Servers.derive()
	s.Agreement = agree(records)
	return s
}
