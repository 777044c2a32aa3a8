package replay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/vllmpages"
)

// Models says what the replicas serve, and which session asks for what. The zero Models is one model on all replicas.
type Models struct {
	// Names of models; two or more: each has an equal part of the replicas, in order, and is a pool of the gateway. Sessions
	// take turns with them.
	Names []string
	// Adapters are the LoRA adapters of each model; a session has the k-th with a weight of 1/k. 0: none. The profile says how
	// many a replica holds, and what loading one takes.
	Adapters int
}

// served is a model, as a session asks for it.
type served struct {
	maker   *trace.Maker
	adapter string
	seed    uint64 // of the chains of its blocks
	from    int    // the replicas that serve it: from ≤ i < to
	to      int
	pool    int
}

// plan is what each session asks for.
type plan struct {
	pools    []string // names
	sessions []*served
}

func newPlan(o *Options) (*plan, error) {
	m := o.Models
	switch {
	case len(m.Names) == 0 && m.Adapters == 0:
		return &plan{}, nil
	case o.Trace.BlockSize == 0:
		return nil, fmt.Errorf("models and adapters: the trace has bodies, which name their own; to give it some, take a trace of block ids")
	case len(m.Names) > o.Replicas:
		return nil, fmt.Errorf("models: %d are too many for %d replicas", len(m.Names), o.Replicas)
	case m.Adapters < 0 || m.Adapters > 0 && o.Profile.MaxLoRAs == 0:
		return nil, fmt.Errorf("adapters: %d of them, and the profile holds %d (max_loras)", m.Adapters, o.Profile.MaxLoRAs)
	}
	names := m.Names
	if len(names) == 0 {
		names = []string{vllm.DefaultModel}
	}
	known := map[string]*served{}
	rng := rand.New(rand.NewPCG(o.Seed, 7))
	p := &plan{pools: names, sessions: make([]*served, o.Trace.Sessions)}
	for i := range p.sessions {
		k := i % len(names)
		adapter := zipf(rng, m.Adapters)
		if p.sessions[i] = known[names[k]+adapter]; p.sessions[i] == nil {
			name := names[k]
			s := &served{pool: k, from: k * o.Replicas / len(names), to: (k + 1) * o.Replicas / len(names)}
			if adapter != "" {
				name += adapter
				s.adapter = name
				s.seed = vllm.CacheSeed(name)
			}
			s.maker = &trace.Maker{Model: name, Whole: o.Whole}
			known[names[k]+adapter], p.sessions[i] = s, s
		}
	}
	return p, nil
}

// zipf draws one of n adapters, the k-th with a weight of 1/k; "" of none.
func zipf(rng *rand.Rand, n int) string {
	sum := 0.0
	for k := range n {
		sum += 1 / float64(k+1)
	}
	at := rng.Float64() * sum
	for k := range n {
		if at -= 1 / float64(k+1); at < 0 || k == n-1 {
			return fmt.Sprintf("-adapter-%d", k+1)
		}
	}
	return ""
}

// of is what a request asks for; nil: the only model.
func (p *plan) of(r *trace.Request) *served {
	if len(p.sessions) == 0 {
		return nil
	}
	return p.sessions[r.Session]
}

// list is the list of models of a replica among all.
func (p *plan) list(replica, all int) []byte {
	model := vllm.DefaultModel
	for k, name := range p.pools {
		if replica >= k*all/len(p.pools) && replica < (k+1)*all/len(p.pools) {
			model = name
		}
	}
	var adapters []string
	for _, s := range p.sessions {
		if s.maker.Model == s.adapter && replica >= s.from && replica < s.to && !slices.Contains(adapters, s.adapter) {
			adapters = append(adapters, s.adapter)
		}
	}
	slices.Sort(adapters)
	return vllmpages.Models(model, adapters)
}

// configure adds the pools to the module's configuration.
func (p *plan) configure(configuration map[string]any, endpoints []any) {
	if len(p.pools) < 2 {
		return
	}
	var pools []any
	for k, name := range p.pools {
		pools = append(pools, map[string]any{
			"name": name, "match": map[string]any{"models": []string{name, name + "-adapter-*"}},
			"endpoints": endpoints[k*len(endpoints)/len(p.pools) : (k+1)*len(endpoints)/len(p.pools)],
			"steer":     map[string]any{"cluster": name},
		})
	}
	maps.Copy(configuration, map[string]any{"pools": pools, "endpoints": []string{}})
}

// PoolResult is what became of one pool's requests.
type PoolResult struct {
	Name          string     `json:"name"`
	Requests      int        `json:"requests"`
	TokenHitRatio float64    `json:"token_hit_ratio"` // cached ÷ prompt tokens
	TTFT          stats.Dist `json:"ttft_ms"`
	AdapterLoads  int64      `json:"adapter_loads"` // into the replicas' slots
}

// results are those of the pools, or of the adapters' only pool.
func (p *plan) results(r *run) (list []PoolResult) {
	for k, name := range p.pools {
		res := PoolResult{Name: name}
		var ttfts []float64
		cached, prompt := 0, 0
		for i := range r.served {
			record := &r.served[i].record
			if record.PromptTokens == 0 || p.of(&r.Trace.Requests[i]).pool != k {
				continue
			}
			res.Requests++
			cached, prompt = cached+record.CachedTokens, prompt+record.PromptTokens
			ttfts = append(ttfts, float64(record.First-record.Queued)/1e6)
		}
		res.TokenHitRatio, res.TTFT = float64(cached)/float64(max(prompt, 1)), stats.NewDist(ttfts)
		for i := k * r.Replicas / len(p.pools); i < (k+1)*r.Replicas/len(p.pools); i++ {
			res.AdapterLoads += r.replicas[i].Stats().LoRAActivations
		}
		list = append(list, res)
	}
	return list
}
