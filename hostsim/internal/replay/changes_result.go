package replay

import "warmroute/hostsim/internal/stats"

// ChangeResult is what users saw before replicas joined or left, until the last had, and afterwards.
type ChangeResult struct {
	Joined int           `json:"joined"` // so often
	Left   int           `json:"left"`
	TTFT   [3]stats.Dist `json:"ttft_ms"`         // of requests sent before, between and after
	Hits   [3]float64    `json:"token_hit_ratio"` // of these: cached ÷ prompt tokens
}

func (r *run) changed() *ChangeResult {
	if !r.changing() || r.Join.Replicas > 0 {
		return nil
	}
	res := &ChangeResult{}
	for _, c := range r.Changes {
		if c.Joins {
			res.Joined++
		} else {
			res.Left++
		}
	}
	var ttfts [3][]float64
	var cached, prompt [3]int
	first, last := int64(r.Changes[0].At), int64(r.Changes[len(r.Changes)-1].At)
	for i := range r.served {
		record := &r.served[i].record
		if record.PromptTokens == 0 {
			continue // rejected
		}
		part := 0
		if record.Queued >= first {
			part++
		}
		if record.Queued > last {
			part++
		}
		ttfts[part] = append(ttfts[part], float64(record.First-record.Queued)/1e6)
		cached[part], prompt[part] = cached[part]+record.CachedTokens, prompt[part]+record.PromptTokens
	}
	for i := range ttfts {
		res.TTFT[i], res.Hits[i] = stats.NewDist(ttfts[i]), float64(cached[i])/float64(max(prompt[i], 1))
	}
	return res
}

// present is the share of a run's time for which each replica was there.
func (r *run) present() []float64 {
	since, share := make([]int64, len(r.replicas)), make([]float64, len(r.replicas))
	there := r.first()
	for _, c := range r.Changes {
		at := min(int64(c.At), r.now)
		if i := c.Replica; there[i] {
			share[i] += float64(at-since[i]) / max(float64(r.now), 1)
		}
		there[c.Replica], since[c.Replica] = c.Joins, at
	}
	for i := range share {
		if there[i] {
			share[i] += float64(r.now-since[i]) / max(float64(r.now), 1)
		}
	}
	return share
}
