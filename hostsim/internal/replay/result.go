package replay

import (
	"maps"

	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/vllm"
)

// Result is one run, as the JSON of `hostsim replay` has it.
type Result struct {
	Policy        string         `json:"policy"`
	Replicas      int            `json:"replicas"`
	Workers       int            `json:"workers"`
	Gateways      int            `json:"gateways"`
	Seed          uint64         `json:"seed"`
	Requests      int            `json:"requests"`
	Rejected      int            `json:"rejected"`                 // of them, longer than a replica's memory
	HungUp        int            `json:"hung_up,omitempty"`        // and aborted: under Options.HangUps
	TokenHitRatio float64        `json:"token_hit_ratio"`          // cached ÷ prompt tokens
	InfiniteCache float64        `json:"infinite_cache_hit_ratio"` // of one cache that never forgets
	TTFT          stats.Dist     `json:"ttft_ms"`
	TPOT          stats.Dist     `json:"tpot_ms"` // over answers of two tokens or more
	Latency       stats.Dist     `json:"e2e_ms"`
	Imbalance     float64        `json:"imbalance"`   // max ÷ mean of prefill tokens computed per replica
	GoodputRPS    float64        `json:"goodput_rps"` // requests with TTFT ≤ 2 s and TPOT ≤ 50 ms, a second
	DurationS     float64        `json:"duration_s"`  // of virtual time, to the last answer
	Reasons       map[string]int `json:"reasons"`

	Pools  []PoolResult `json:"pools,omitempty"`  // under Options.Models
	Halves []HalfResult `json:"halves,omitempty"` // under Options.Second
	Zones  *ZoneResult  `json:"zones,omitempty"`  // under Options.Zones

	Join    *JoinResult   `json:"join,omitempty"`    // under Options.Join
	Changes *ChangeResult `json:"changes,omitempty"` // under Options.Changes

	ThroughputRPS float64 `json:"throughput_rps"` // answers a second, over DurationS

	Busy    float64  `json:"-"`                 // share of the time that the replicas spent in steps, 0 to 1, mean
	SyncMS  float64  `json:"sync_ms,omitempty"` // between two asks of one gateway
	Traffic *Traffic `json:"news,omitempty"`    // between the gateways

	TTFTs  []float64 `json:"-"` // ms, in the order of the trace, without those rejected
	Served []Served  `json:"-"` // under Options.Detail: every request, in the order of the trace
}

// Served is what became of one request. Times are ns of virtual time.
type Served struct {
	Replica              int
	Queued, First, Final int64
	PromptTokens         int // 0: it was rejected, or Impatient
	CachedTokens         int
	Generated            int
	Decision             string // as the module told it before the answer; "" where it did not steer
	Impatient            bool   // its client hung up, or would have: it counts in no time
}

// Goodput's bounds, DESIGN's: what an interactive user takes for responsive.
const (
	goodTTFT = 2000.0 // ms
	goodTPOT = 50.0   // ms
)

func (r *run) result() *Result {
	res := &Result{
		Policy: r.Policy, Replicas: r.Replicas, Workers: r.Workers, Gateways: r.Gateways, Seed: r.Seed,
		Requests: len(r.served), Rejected: r.rejected, HungUp: r.hungUp, Reasons: maps.Clone(r.reasons), DurationS: float64(r.now) / 1e9,
	}
	res.Join, res.Changes = r.joined(), r.changed()
	if r.Sync.Interval > 0 {
		res.SyncMS, res.Traffic = float64(r.Sync.Interval)/1e6, &r.network.traffic
	}
	if r.Detail {
		res.Served = make([]Served, len(r.served))
		for i, j := range r.served {
			res.Served[i] = Served{j.replica, j.record.Queued, j.record.First, j.record.Final,
				j.record.PromptTokens, j.record.CachedTokens, j.record.Generated, j.decision, r.patience[i] > 0}
		}
	}
	var tpots, latencies []float64
	var cached, prompt, good int
	for i := range r.served {
		record := &r.served[i].record
		if record.PromptTokens == 0 {
			continue // rejected
		}
		ttft := float64(record.First-record.Queued) / 1e6
		latency := float64(record.Final-record.Queued) / 1e6
		tpot := 0.0
		if record.Generated > 1 {
			tpot = float64(record.Final-record.First) / 1e6 / float64(record.Generated-1)
			tpots = append(tpots, tpot)
		}
		if ttft <= goodTTFT && tpot <= goodTPOT {
			good++
		}
		res.TTFTs = append(res.TTFTs, ttft)
		latencies = append(latencies, latency)
		cached += record.CachedTokens
		prompt += record.PromptTokens
	}
	res.TokenHitRatio = float64(cached) / float64(max(prompt, 1))
	res.TTFT, res.TPOT, res.Latency = stats.NewDist(res.TTFTs), stats.NewDist(tpots), stats.NewDist(latencies)
	if res.DurationS > 0 { // else nothing was answered
		res.GoodputRPS, res.ThroughputRPS = float64(good)/res.DurationS, float64(len(res.TTFTs))/res.DurationS
	}
	res.Pools, res.Halves = r.plan.results(r), r.halves()
	res.Zones = r.zoned()
	there := r.present()
	res.Imbalance = r.imbalance(there)
	for i := range r.replicas {
		res.Busy += float64(r.allOf(i).Busy) / max(float64(r.now), 1) / sumOf(there)
	}
	if res.InfiniteCache = float64(r.repeats.found) / float64(max(r.repeats.read, 1)); r.Trace.BlockSize > 0 {
		res.InfiniteCache = r.works.infinite()
	}
	return res
}

// imbalance is 0 where nothing was computed. A replica that was there for a part of the time counts by what it computed in that.
func (r *run) imbalance(there []float64) float64 {
	most, sum := 0.0, 0.0
	for i := range r.replicas {
		if computed := float64(r.allOf(i).PrefillComputed); computed > 0 {
			most, sum = max(most, computed/max(there[i], leastThere)), sum+computed
		}
	}
	return most * sumOf(there) / max(sum, 1)
}

// leastThere is the share of the time below which a replica's rate says nothing.
const leastThere = 0.05

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// allOf is what a replica did, and those did that it has replaced.
func (r *run) allOf(replica int) vllm.Stats {
	all := r.replicas[replica].Stats()
	for _, f := range r.former {
		if f.replica == replica {
			all = all.Plus(f.engine.Stats())
		}
	}
	return all
}
