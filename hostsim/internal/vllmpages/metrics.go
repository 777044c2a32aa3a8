// Package vllmpages is what a replica shows of itself, as vLLM 0.32 does: /metrics, and its list of models.
package vllmpages

import (
	"strconv"
	"strings"

	"warmroute/hostsim/internal/vllm"
)

// Metrics is the part of vLLM's /metrics page that routers and dashboards read: names, labels and buckets of
// vLLM 0.32. Histograms are in seconds of the client's clock, at any speed. Whoever shares it locks it.
type Metrics struct {
	TTFT, InterToken, Latency, Queued, Computed *Histogram
	Aborted                                     int64
	adapters                                    []adapterSeries
}

// adapterSeries is one set of labels of vllm:lora_requests_info. As Prometheus' client does, the page keeps those of before.
type adapterSeries struct {
	running, waiting string
	at               float64
}

// NoteAdapters records which adapters run and wait, as vLLM does at each step.
func (m *Metrics) NoteAdapters(st *vllm.Stats) {
	now := adapterSeries{strings.Join(st.RunningAdapters, ","), strings.Join(st.WaitingAdapters, ","), float64(st.Steps)}
	for i := range m.adapters {
		if s := &m.adapters[i]; s.running == now.running && s.waiting == now.waiting {
			s.at = now.at
			return
		}
	}
	m.adapters = append(m.adapters, now)
}

// Buckets as on a page of vLLM 0.32, in seconds.
var (
	ttftBuckets = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBuckets  = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	longBuckets = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
)

// tokenBuckets are vLLM's: 1, 2, 5 × powers of ten up to the model's context in tokens.
func tokenBuckets(limit int) []float64 {
	var out []float64
	for scale := 1; ; scale *= 10 {
		for _, m := range []int{1, 2, 5} {
			if m*scale > limit {
				return out
			}
			out = append(out, float64(m*scale))
		}
	}
}

// NewMetrics is for a server with that profile.
func NewMetrics(p *vllm.Profile) *Metrics {
	return &Metrics{
		TTFT:       newHistogram("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.", ttftBuckets),
		InterToken: newHistogram("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", itlBuckets),
		Latency:    newHistogram("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", longBuckets),
		Queued:     newHistogram("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.", longBuckets),
		Computed: newHistogram("vllm:request_prefill_kv_computed_tokens",
			"Histogram of new KV tokens computed during prefill (excluding cached tokens).", tokenBuckets(p.MaxModelLen)),
	}
}

// OfReplica is the /metrics page of a replica in virtual time, with an engine for each of its data-parallel ranks, at least one. It has no
// histograms, because a server measures them at its clients. It is written over what to holds. Pages that
// follow each other share a form, which is empty at first.
func OfReplica(to []byte, f *Form, engines ...*vllm.Engine) []byte {
	p := &page{model: vllm.DefaultModel, buf: to[:0]}
	var ranks []Rank
	for _, e := range engines {
		ranks = append(ranks, Rank{e.Stats(), &Metrics{}})
	}
	profile := engines[0].Profile()
	if f.of != engines[0] {
		*f = Form{of: engines[0]}
	}
	if profile.MaxLoRAs == 0 { // else lines come with new sets of adapters
		p.form, p.fills = f, len(f.heads) > 0
	}
	p.write(ranks, &profile)
	return p.buf
}

// Rank is one engine of a page.
type Rank struct {
	vllm.Stats
	*Metrics
}

// Write is the whole page of a server of that model, by its engines, at least one.
func Write(model string, ranks []Rank, profile *vllm.Profile) []byte {
	p := &page{model: model}
	p.write(ranks, profile)
	return p.buf
}

func (p *page) write(ranks []Rank, profile *vllm.Profile) {
	gauge := func(name, help string, of func(r *Rank) float64) { p.single(name, help, "gauge", ranks, of) }
	counter := func(name, help string, of func(r *Rank) int64) {
		p.single(name, help, "counter", ranks, func(r *Rank) float64 { return float64(of(r)) })
	}
	gauge("vllm:num_requests_running", "Number of requests in model execution batches.", func(r *Rank) float64 { return float64(r.Running) })
	gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.", func(r *Rank) float64 { return float64(r.Waiting) })
	gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", func(r *Rank) float64 { return r.Usage() })
	counter("vllm:prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.", func(r *Rank) int64 { return r.Queries })
	counter("vllm:prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.", func(r *Rank) int64 { return r.Hits })
	if profile.HostKVBlocks > 0 {
		counter("vllm:external_prefix_cache_queries_total", "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of queried tokens.", func(r *Rank) int64 { return r.HostQueries })
		counter("vllm:external_prefix_cache_hits_total", "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of cached tokens.", func(r *Rank) int64 { return r.HostHits })
	}
	counter("vllm:num_preemptions_total", "Cumulative number of preemption from the engine.", func(r *Rank) int64 { return r.Preemptions })
	counter("vllm:prompt_tokens_total", "Number of prefill tokens processed.", func(r *Rank) int64 { return r.PromptTokens })
	counter("vllm:generation_tokens_total", "Number of generation tokens processed.", func(r *Rank) int64 { return r.GeneratedTokens })
	p.successes(ranks)
	for k := range ranks[0].histograms() {
		for i := range ranks {
			ranks[i].histograms()[k].write(p, i)
		}
	}
	if profile.MaxLoRAs > 0 {
		const loras = "vllm:lora_requests_info" // its value is a time in vLLM
		p.family(loras, "Running stats on lora requests.", "gauge")
		for i := range ranks {
			m := ranks[i].Metrics
			m.NoteAdapters(&ranks[i].Stats)
			for _, s := range m.adapters {
				p.sample(loras, s.at, "max_lora", strconv.Itoa(profile.MaxLoRAs), "running_lora_adapters", s.running, "waiting_lora_adapters", s.waiting)
			}
		}
	}
	caching := "True"
	if profile.PrefixCachingOff == 1 {
		caching = "False"
	}
	const info = "vllm:cache_config_info" // has no model_name in vLLM
	p.family(info, "Information of the LLMEngine CacheConfig", "gauge")
	for i := range ranks {
		p.sample(info, 1, "block_size", strconv.Itoa(profile.BlockSize), "cache_dtype", "auto",
			"enable_prefix_caching", caching, "engine", strconv.Itoa(i), "kv_cache_size_tokens", strconv.Itoa(profile.KVTokens()),
			"num_gpu_blocks", strconv.Itoa((profile.KVBlocks+1)*len(ranks))) // vLLM counts its null block, and those of all ranks
	}
}

func (p *page) successes(ranks []Rank) {
	const success = "vllm:request_success_total"
	p.family(success, "Count of successfully processed requests.", "counter")
	for i := range ranks {
		for _, reason := range []struct {
			name  string
			count int64
		}{{"stop", 0}, {"length", ranks[i].Finished}, {"abort", ranks[i].Aborted}, {"error", 0}, {"repetition", 0}} {
			p.sample(success, float64(reason.count), "engine", strconv.Itoa(i), "finished_reason", reason.name, "model_name", p.model)
		}
	}
}

// histograms are those of the page; none in virtual time.
func (m *Metrics) histograms() []*Histogram {
	if m.TTFT == nil {
		return nil
	}
	return []*Histogram{m.TTFT, m.InterToken, m.Latency, m.Queued, m.Computed}
}
