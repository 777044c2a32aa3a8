package study

import (
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/trace"
)

// twice is a load and, when it has long ended, the same once more, on caches that the first pass has warmed.
func twice(t *trace.Trace) *trace.Trace {
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

// half is what the clients of a run's second half saw, times in ms: KubeAI's servers had run the same load before.
type half struct {
	ttft, tpot, latency stats.Dist
	perToken            float64 // mean of an answer's time ÷ its tokens
	throughput, hit     float64
}

func secondHalf(r *replay.Result) (h half) {
	served := r.Served[len(r.Served)/2:]
	first, last := served[0].Queued, int64(0)
	var ttfts, tpots, latencies []float64
	prompt, cached := 0, 0
	for _, s := range served {
		first, last = min(first, s.Queued), max(last, s.Final)
		ttfts, latencies = append(ttfts, figure.MS(s.First-s.Queued)), append(latencies, figure.MS(s.Final-s.Queued))
		tpots = append(tpots, figure.MS(s.Final-s.First)/float64(max(s.Generated-1, 1)))
		h.perToken += figure.MS(s.Final-s.Queued) / float64(s.Generated) / float64(len(served))
		prompt, cached = prompt+s.PromptTokens, cached+s.CachedTokens
	}
	h.ttft, h.tpot, h.latency = stats.NewDist(ttfts), stats.NewDist(tpots), stats.NewDist(latencies)
	h.throughput, h.hit = float64(len(served))/(figure.MS(last-first)/1000), float64(cached)/float64(prompt)
	return h
}
