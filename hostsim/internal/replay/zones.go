package replay

import (
	"fmt"
	"maps"
	"time"

	"warmroute/hostsim/internal/stats"
)

// Zones spreads replicas and gateways over zones, the i-th of each to zone i modulo Count. Gateways know all zones. The zero Zones
// is one zone, which nobody knows of.
type Zones struct {
	Count int           // of zones; 0: none
	Delay time.Duration // that a request and its answer take longer between two zones, half each way
}

// check says what is wrong.
func (z *Zones) check(o *Options) error {
	switch {
	case z.Count == 0 && z.Delay == 0:
		return nil
	case z.Count < 2 || z.Count > o.Replicas:
		return fmt.Errorf("zones: %d are not within 2 to %d, the replicas", z.Count, o.Replicas)
	case z.Delay < 0:
		return fmt.Errorf("zones: the delay %v is below 0", z.Delay)
	}
	return nil
}

func (z *Zones) name(i int) string { return fmt.Sprintf("zone-%d", i%z.Count) }

// endpoint is a replica, as the module's configuration has it.
func (o *Options) endpoint(replica int) any {
	if o.Zones.Count == 0 {
		return o.address(replica)
	}
	return map[string]any{"address": o.address(replica), "zone": o.Zones.name(replica)}
}

// of is a gateway's configuration.
func (z *Zones) of(gateway int, configuration map[string]any) map[string]any {
	if z.Count == 0 {
		return configuration
	}
	own := maps.Clone(configuration)
	own["zone"] = z.name(gateway)
	return own
}

// far says whether a gateway and a replica are in different zones.
func (z *Zones) far(gateway, replica int) bool {
	return z.Count > 0 && gateway%z.Count != replica%z.Count
}

// ZoneResult is what went from a gateway to a replica in another zone.
type ZoneResult struct {
	Zones    int        `json:"zones"`
	Requests float64    `json:"crossing_requests"` // their share of all, 0 to 1
	Tokens   float64    `json:"crossing_tokens"`   // the same of prompt tokens
	Near     stats.Dist `json:"near_ttft_ms"`
	Far      stats.Dist `json:"far_ttft_ms"` // of those that crossed
}

func (r *run) zoned() *ZoneResult {
	if r.Zones.Count == 0 {
		return nil
	}
	res := &ZoneResult{Zones: r.Zones.Count}
	var near, far []float64
	var tokens, crossing int
	for i := range r.served {
		j := &r.served[i]
		if j.record.PromptTokens == 0 {
			continue // rejected
		}
		tokens += j.record.PromptTokens
		if ttft := float64(j.record.First-j.record.Queued) / 1e6; j.far {
			far = append(far, ttft)
			crossing += j.record.PromptTokens
		} else {
			near = append(near, ttft)
		}
	}
	res.Requests = float64(len(far)) / float64(max(len(far)+len(near), 1))
	res.Tokens = float64(crossing) / float64(max(tokens, 1))
	res.Near, res.Far = stats.NewDist(near), stats.NewDist(far)
	return res
}
