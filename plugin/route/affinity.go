package route

import (
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// affinity sets the decision's key, by which the ring decides among equals: where a session is named, the session;
// else the first block of the prompt that is not common property. Blocks that more than half of the endpoints that bear the load
// hold (a system prompt, the tools) say nothing of where a prompt belongs; the one after them does, and stays the same as a
// conversation goes on.
func (v *view) affinity(req *Request, d *Decision) {
	switch {
	case len(req.Session) > 0:
		d.Key = prefix.Key(d.Seed, req.Session)
	case len(req.Prompt.Session) > 0 && req.Prompt.SessionFrom != prompt.FirstUserTurn:
		d.Key = prefix.Key(d.Seed, req.Prompt.Session)
	case d.Total > 0:
		d.Key = d.Chain.Hash[min(v.common(d.Total), d.Total-1)]
	default:
		d.Key = prefix.Key(d.Seed, req.Prompt.Text)
	}
	d.HasKey = true
}

// common is the number of leading blocks that more than half of the endpoints that bear the load hold.
func (v *view) common(blocks int) int {
	low, high := 0, blocks
	for low < high {
		middle := int(uint(low+high+1) >> 1)
		holders := 0
		for i, depth := range v.depth {
			if int(depth) >= middle && v.class[i] == v.best {
				holders++
			}
		}
		if holders*2 > v.shares.size {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

const (
	// nearTie is the share of a prompt's own prefill within which costs are equal, and the ring decides.
	nearTie = 0.001

	// foreignShare of a prompt is what the ring's own endpoint is preferred by where other gateways, of which this one
	// knows nothing, may have sent the prompt: the ring is what all agree on. It costs balance, so it is not for a gateway
	// that is alone.
	foreignShare = 1

	// A gateway that is alone sees below 0.3 % of such responses, where it takes a cache for smaller than it is; with one
	// other, 1 to 5 %.
	foreignFrom = 0.004 // share of responses from which foreignShare begins to count
	foreignFull = 0.01  // and from which it counts in full
)

// foreign is how far it is to be supposed that other gateways have sent a prompt which is new here: 0 for a gateway that is
// alone, and for prompts that an endpoint is believed to hold, up to 1.
func (v *view) foreign(d *Decision) float64 {
	share := v.pool.Foreign()
	if share < foreignFrom || v.known(d) {
		return 0
	}
	return min((share-foreignFrom)/(foreignFull-foreignFrom), 1)
}

// preferHome lowers the cost of the ring's own endpoint for the decision's key, of those that bear the load.
func (v *view) preferHome(by float64, d *Decision) {
	if by == 0 {
		return
	}
	walk := v.pool.Ring.From(d.Key)
	for i, ok := walk.Next(); ok; i, ok = walk.Next() {
		if v.class[i] == v.best {
			v.cost[i] -= by
			return
		}
	}
}

// known says whether an endpoint is believed to hold more of the prompt than what most hold.
func (v *view) known(d *Decision) bool {
	common := v.common(d.Total)
	for _, depth := range v.depth {
		if int(depth) > common {
			return true
		}
	}
	return false
}
