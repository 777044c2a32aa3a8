package loads

import (
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/trace"
)

// Twice is a load and, when it has long ended, the same once more, on caches that the first pass has warmed.
func Twice(t *trace.Trace) *trace.Trace {
	const pause = 1_000 * 1e9 // ns
	out, n := *t, len(t.Requests)
	out.Requests = append(out.Requests[:n:n], t.Requests...)
	for i := n; i < 2*n; i++ {
		r := &out.Requests[i]
		r.At += pause
		r.Session += t.Sessions
		if r.After >= 0 {
			r.After += n
		}
	}
	out.Sessions *= 2
	return &out
}

// Pass is what the clients of one pass saw.
type Pass struct {
	TTFT, TPOT, Latency stats.Dist // ms
	PerToken            float64    // ms: mean of an answer's time ÷ its tokens
	Throughput          float64    // requests a second
	Hit                 float64    // share of the prompt tokens found
}

// SecondPass is what the clients of a load that came Twice saw of its second pass: KubeAI's servers had run the same load before. The
// run has to have Detail.
func SecondPass(r *replay.Result) (h Pass) {
	served := r.Served[len(r.Served)/2:]
	first, last := served[0].Queued, int64(0)
	var ttfts, tpots, latencies []float64
	prompt, cached := 0, 0
	for _, s := range served {
		first, last = min(first, s.Queued), max(last, s.Final)
		ttfts, latencies = append(ttfts, figure.MS(s.First-s.Queued)), append(latencies, figure.MS(s.Final-s.Queued))
		tpots = append(tpots, figure.MS(s.Final-s.First)/float64(max(s.Generated-1, 1)))
		h.PerToken += figure.MS(s.Final-s.Queued) / float64(s.Generated) / float64(len(served))
		prompt, cached = prompt+s.PromptTokens, cached+s.CachedTokens
	}
	h.TTFT, h.TPOT, h.Latency = stats.NewDist(ttfts), stats.NewDist(tpots), stats.NewDist(latencies)
	h.Throughput, h.Hit = float64(len(served))/(figure.MS(last-first)/1000), float64(cached)/float64(prompt)
	return h
}
