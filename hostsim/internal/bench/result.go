package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/workload"
)

// DecisionHeader is the response header that shows a gateway's decision, if the gateway is configured to.
const DecisionHeader = "x-warmroute-decision"

// Record is one request as its client saw it. Times are in milliseconds.
type Record struct {
	Index        int     `json:"index"` // order of sending
	Session      string  `json:"session"`
	Replica      string  `json:"replica,omitempty"` // x-replica of the response
	Status       int     `json:"status"`            // of HTTP; 0 when there was no response
	Error        string  `json:"error,omitempty"`
	TTFTMS       float64 `json:"ttft_ms"` // to the first chunk with content
	LatencyMS    float64 `json:"e2e_ms"`  // to the end of the stream
	TPOTMS       float64 `json:"tpot_ms"` // time between first and last token ÷ tokens after the first
	PromptTokens int     `json:"prompt_tokens"`
	CachedTokens int     `json:"cached_tokens"`
	OutputTokens int     `json:"output_tokens"`

	Decision string `json:"decision,omitempty"` // DecisionHeader of the response

	Sent   workload.Request `json:"-"`
	failed string           // the key in ErrorsByStatus; empty if the request succeeded
}

func (r *Record) fail(kind string, err error) {
	r.failed = kind
	r.Error = err.Error()
}

// Failed reports whether the request got no complete answer.
func (r *Record) Failed() bool { return r.Error != "" || r.failed != "" }

// Result is what a run measured. The distributions are over successful requests.
type Result struct {
	Workload        string         `json:"workload"`
	Target          string         `json:"target,omitempty"` // the URL's name, where there are several
	Round           int            `json:"round,omitempty"`  // from 1
	URL             string         `json:"url"`
	Concurrency     int            `json:"concurrency"`
	WarmupPasses    int            `json:"warmup_passes"`
	WallS           float64        `json:"wall_s"`
	Requests        int            `json:"requests"`
	Errors          int            `json:"errors"`
	ErrorsByStatus  map[string]int `json:"errors_by_status"` // by HTTP status, or connect, stream, timeout
	TTFT            stats.Dist     `json:"ttft_ms"`
	TPOT            stats.Dist     `json:"tpot_ms"` // over requests with two tokens or more
	Latency         stats.Dist     `json:"e2e_ms"`
	PromptTokens    int            `json:"prompt_tokens"`
	CachedTokens    int            `json:"cached_tokens"`
	OutputTokens    int            `json:"output_tokens"`
	TokenHitRatio   float64        `json:"token_hit_ratio"`   // CachedTokens ÷ PromptTokens
	RequestHitShare float64        `json:"request_hit_share"` // requests with at least half their prompt cached
	Replicas        map[string]int `json:"replicas"`          // answers by x-replica
	Late            *stats.Dist    `json:"late_ms,omitempty"` // of a trace: between when requests were due and when they were sent
	Records         []Record       `json:"records"`
}

func summarize(name string, o Options, records []Record, wall time.Duration) *Result {
	r := &Result{
		Workload: name, URL: o.URL, Concurrency: o.Concurrency, WarmupPasses: o.WarmupPasses, WallS: wall.Seconds(),
		Requests: len(records), ErrorsByStatus: map[string]int{}, Replicas: map[string]int{}, Records: records,
	}
	var ttft, tpot, latency []float64
	hits := 0
	for i := range records {
		c := &records[i]
		if c.Replica != "" {
			r.Replicas[c.Replica]++
		}
		if c.Failed() {
			r.Errors++
			r.ErrorsByStatus[c.failed]++
			continue
		}
		ttft, latency = append(ttft, c.TTFTMS), append(latency, c.LatencyMS)
		if c.OutputTokens > 1 {
			tpot = append(tpot, c.TPOTMS)
		}
		r.PromptTokens += c.PromptTokens
		r.CachedTokens += c.CachedTokens
		r.OutputTokens += c.OutputTokens
		if c.PromptTokens > 0 && 2*c.CachedTokens >= c.PromptTokens {
			hits++
		}
	}
	r.TTFT, r.TPOT, r.Latency = stats.NewDist(ttft), stats.NewDist(tpot), stats.NewDist(latency)
	if r.PromptTokens > 0 {
		r.TokenHitRatio = float64(r.CachedTokens) / float64(r.PromptTokens)
	}
	if n := len(records) - r.Errors; n > 0 {
		r.RequestHitShare = float64(hits) / float64(n)
	}
	return r
}

// lateMS is how late requests may be sent, at their 95th percentile, before it is said.
const lateMS = 50

// WriteTable prints the result as a table.
func (r *Result) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\tmean\tP50\tP95\tP99\t\n", r.Workload)
	for _, row := range []struct {
		name string
		d    stats.Dist
	}{{"TTFT ms", r.TTFT}, {"TPOT ms", r.TPOT}, {"latency ms", r.Latency}} {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t\n", row.name, row.d.Mean, row.d.P50, row.d.P95, row.d.P99)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if d := r.Late; d != nil && d.P95 > lateMS {
		fmt.Fprintf(w, "requests went out late: P95 %.0f ms after they were due. More of them would have been in flight than --concurrency, or than this machine can send\n", d.P95)
	}
	_, err := fmt.Fprintf(w, "%d requests in %.1f s, %d errors%s\ntoken hit ratio %.3f (%d of %d prompt tokens), requests hit %.1f %%\nreplicas: %s\n",
		r.Requests, r.WallS, r.Errors, counts(" (", r.ErrorsByStatus, ")"), r.TokenHitRatio, r.CachedTokens, r.PromptTokens,
		100*r.RequestHitShare, counts("", r.Replicas, ""))
	return err
}

// counts formats a map in order of its keys; "" if it is empty.
func counts(before string, m map[string]int, after string) string {
	if len(m) == 0 {
		return ""
	}
	var parts []string
	for name, n := range m {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	return before + strings.Join(parts, ", ") + after
}
