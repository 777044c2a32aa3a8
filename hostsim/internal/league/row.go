package league

import (
	"warmroute/hostsim/internal/cases"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
)

// Row is one policy in one case with one seed.
type Row struct {
	Case       string    `json:"case"`
	Policy     string    `json:"policy"`
	Gateways   int       `json:"gateways,omitempty"` // 0: the case's own
	Seed       uint64    `json:"seed"`
	TTFT       float64   `json:"ttft_mean_ms"`
	P95        float64   `json:"ttft_p95_ms"`
	TPOT       float64   `json:"tpot_mean_ms"`    // over answers of two tokens or more
	Latency    float64   `json:"latency_mean_ms"` // until an answer's last token
	Throughput float64   `json:"throughput_rps"`
	Hit        float64   `json:"token_hit_ratio"`
	Imbalance  float64   `json:"imbalance"`
	Phases     []float64 `json:"phases_ttft_mean_ms,omitempty"` // before, during and after overload
	Recovery   float64   `json:"recovery_s,omitempty"`          // after its end; −1: never
	Wall       float64   `json:"wall_s"`
	failed     error
}

// recovered is the share of the quiet TTFT at which an overload counts as over.
const recovered = 1.1

// same says whether two rows are of the same case, policy, gateways and seed.
func (row *Row) same(other Row) bool {
	return row.Case == other.Case && row.Policy == other.Policy && row.Gateways == other.Gateways && row.Seed == other.Seed
}

// take is what a run's users saw.
func (row *Row) take(c *cases.Case, r *replay.Result) {
	ttft, tpot, latency := r.TTFT, r.TPOT, r.Latency
	row.Throughput, row.Hit, row.Imbalance = r.ThroughputRPS, r.TokenHitRatio, r.Imbalance
	if c.Twice {
		h := loads.SecondPass(r)
		ttft, tpot, latency, row.Throughput, row.Hit = h.TTFT, h.TPOT, h.Latency, h.Throughput, h.Hit
	}
	row.TTFT, row.P95, row.TPOT, row.Latency = ttft.Mean, ttft.P95, tpot.Mean, latency.Mean
	if len(c.Phases) > 0 {
		row.Phases, row.Recovery = loads.ByPhase(r, c.Phases, recovered)
	}
}

// Mean is the mean of rows that differ by their seed. Where one never recovered, the mean did not.
func Mean(rows []Row) Row {
	out := Row{Case: rows[0].Case, Policy: rows[0].Policy, Phases: make([]float64, len(rows[0].Phases))}
	n := float64(len(rows))
	for _, r := range rows {
		out.TTFT, out.P95, out.Throughput = out.TTFT+r.TTFT/n, out.P95+r.P95/n, out.Throughput+r.Throughput/n
		out.TPOT, out.Latency = out.TPOT+r.TPOT/n, out.Latency+r.Latency/n
		out.Hit, out.Imbalance, out.Wall = out.Hit+r.Hit/n, out.Imbalance+r.Imbalance/n, out.Wall+r.Wall/n
		for i, v := range r.Phases {
			out.Phases[i] += v / n
		}
		if out.Recovery < 0 || r.Recovery < 0 {
			out.Recovery = -1
		} else {
			out.Recovery += r.Recovery / n
		}
	}
	return out
}

// Results are the rows of a run, as a file has them that a later run goes on from.
type Results struct {
	Settings string `json:"settings"` // that all rows have in common, in words
	Rows     []Row  `json:"rows"`
}
