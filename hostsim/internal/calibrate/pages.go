package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/vllm"
)

// leastRequests is how many requests two pages must lie apart for a fit.
const leastRequests = 20

// load is a synthetic load with what two pages say of the real one: its rate, the histograms of its lengths, its hits.
type load struct {
	run      Run
	measured []Residual // what the pages say of times, with the model's still missing
	before   int        // requests that come before the first page was read: they are not measured
}

// Pages fits p to what a server counted in the seconds between two readings of its /metrics. Requests are made up: as many as
// were answered, at random times, with lengths drawn from the histograms, and the share of each prompt that the server
// found cached; and as many in the same time before, so that the server is as full as it was. The mean time between tokens
// and the mean time from admission to the first token are fitted. The load should be steady; Unsteady says whether it was.
func Pages(p vllm.Profile, before, after *Page, seconds float64, source string) (*Fitted, error) {
	if err := decreased(before, after); err != nil {
		return nil, err
	}
	if err := memory(&p, after, source); err != nil {
		return nil, err
	}
	l, err := newLoad(p, before, after, seconds)
	if err != nil {
		return nil, err
	}
	f, err := Fit(p, source, func(p vllm.Profile) (float64, error) {
		model, err := l.model(p)
		if err != nil {
			return 0, err
		}
		sum, n := 0.0, 0.0
		for i, m := range l.measured {
			if m.Fitted {
				sum += math.Abs(math.Log(model[i] / m.Measured))
				n++
			}
		}
		return sum / n, nil
	})
	if err != nil {
		return nil, err
	}
	model, err := l.model(f.Profile)
	if err != nil {
		return nil, err
	}
	worst := .05 // what the made-up load may be worth at best
	for i, m := range l.measured {
		m.Model = model[i]
		f.Residuals = append(f.Residuals, m)
		if m.Fitted {
			worst = max(worst, math.Abs(m.Model/m.Measured-1))
		}
	}
	return f, f.setError(worst, "the larger of 0.05, since the load is made up from histograms, and the worst residual that was fitted; "+source)
}

// memory takes the size of the KV memory from the page.
func memory(p *vllm.Profile, page *Page, source string) error {
	if page.Blocks < 2 || page.BlockSize < 1 {
		return nil
	}
	for name, value := range map[string]int{"block_size": page.BlockSize, "kv_blocks": page.Blocks - 1} {
		if err := p.Set(name, float64(value), "vllm:cache_config_info, less vLLM's null block; "+source); err != nil {
			return err
		}
	}
	p.MaxModelLen = min(p.MaxModelLen, p.KVTokens())
	return p.Validate()
}

func newLoad(p vllm.Profile, before, after *Page, seconds float64) (*load, error) {
	if !(seconds > 0) {
		return nil, fmt.Errorf("the pages lie %v s apart; it must be above 0", seconds)
	}
	prompts, ok1 := between(before, after, "request_prompt_tokens")
	answers, ok2 := between(before, after, "request_generation_tokens")
	tokens, ok3 := between(before, after, "inter_token_latency_seconds", "time_per_output_token_seconds")
	prefill, ok4 := between(before, after, "request_prefill_time_seconds")
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, fmt.Errorf("the pages lack request_prompt_tokens, request_generation_tokens, inter_token_latency_seconds or request_prefill_time_seconds, or nothing was answered between them")
	}
	n := int(prompts.n)
	if n < leastRequests {
		return nil, fmt.Errorf("%d requests were answered between the pages; at least %d are needed", n, leastRequests)
	}
	share := 0.0
	if queries := after.values["prefix_cache_queries_total"] - before.values["prefix_cache_queries_total"]; queries > 0 {
		share = (after.values["prefix_cache_hits_total"] - before.values["prefix_cache_hits_total"]) / queries
	}
	l := &load{before: n}
	l.build(p, n, prompts, answers, share, seconds)
	l.measured = []Residual{
		{Name: "time between tokens, mean, ms", Measured: 1e3 * tokens.mean(), Fitted: true},
		{Name: "admission to first token, mean, ms", Measured: 1e3 * prefill.mean(), Fitted: true},
	}
	if d, ok := between(before, after, "time_to_first_token_seconds"); ok {
		l.measured = append(l.measured, Residual{Name: "time to first token, mean, ms", Measured: 1e3 * d.mean()},
			Residual{Name: "time to first token, P90, ms", Measured: 1e3 * d.quantile(.9)})
	}
	if d, ok := between(before, after, "request_queue_time_seconds"); ok {
		l.measured = append(l.measured, Residual{Name: "queue, mean, ms", Measured: 1e3 * d.mean()})
	}
	return l, nil
}

// build makes the requests, at uniformly random times. All prompts begin with the same tokens as far as their share of
// hits goes, which a request of its own puts into the cache before.
func (l *load) build(p vllm.Profile, n int, prompts, answers dist, share, seconds float64) {
	rng := rand.New(rand.NewPCG(20, uint64(n)))
	var in, out []int
	var at []int64
	for window := range 2 {
		i, o := prompts.draw(n), answers.draw(n)
		rng.Shuffle(n, func(a, b int) { i[a], i[b] = i[b], i[a] })
		rng.Shuffle(n, func(a, b int) { o[a], o[b] = o[b], o[a] })
		in, out = append(in, i...), append(out, o...)
		for range n {
			at = append(at, int64((float64(window)+rng.Float64())*seconds*1e9))
		}
	}
	slices.Sort(at)
	longest := 0
	for i := range in {
		in[i] = min(in[i], p.MaxModelLen-1)
		out[i] = min(out[i], p.MaxModelLen-in[i])
		longest = max(longest, int(share*float64(in[i])))
	}
	warm := make([]uint64, longest/p.BlockSize)
	for i := range warm {
		warm[i] = uint64(i) + 1
	}
	const start = int64(60e9) // after the request that warms the cache
	l.run.Arrivals = append(l.run.Arrivals, 0)
	l.run.Requests = append(l.run.Requests, vllm.Request{Hashes: warm, PromptTokens: max(1, longest), MaxTokens: 1})
	for i := range in {
		l.run.Arrivals = append(l.run.Arrivals, start+at[i])
		l.run.Requests = append(l.run.Requests, vllm.Request{
			Hashes: warm[:int(share*float64(in[i]))/p.BlockSize], PromptTokens: in[i], MaxTokens: out[i],
		})
	}
}

// model is what the model makes of what was measured, in the same order.
func (l *load) model(p vllm.Profile) ([]float64, error) {
	done, _, err := l.run.Replay(p)
	if err != nil {
		return nil, err
	}
	var ttft []float64
	prefill, queue, decoding, gaps := 0.0, 0.0, 0.0, 0.0
	for _, d := range done[1+l.before:] {
		ttft = append(ttft, float64(d.First-d.Queued)/1e6)
		prefill += float64(d.First-d.Scheduled) / 1e6
		queue += float64(d.Scheduled-d.Queued) / 1e6
		decoding += float64(d.Final-d.First) / 1e6
		gaps += float64(d.Generated - 1)
	}
	n := float64(len(ttft))
	return []float64{decoding / max(1, gaps), prefill / n, mean(ttft), percentile(ttft, 90), queue / n}, nil
}

// Unsteady reports whether the requests under way changed by more than a quarter of those answered in between: the load was
// then not what Pages makes up.
func Unsteady(before, after *Page) bool {
	answered := after.values["request_prompt_tokens_count"] - before.values["request_prompt_tokens_count"]
	return math.Abs(float64(after.Busy()-before.Busy())) > answered/4
}
