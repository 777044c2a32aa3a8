package route

import (
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// affinity sets the decision's key, by which the ring decides between equal costs: the session, if one is named; else the
// prompt's first block that is not common. Blocks that more than half of the endpoints hold (a system prompt, the tools) do
// not distinguish prompts; the block after them does, and stays the same while a conversation grows. The proxy's secret is
// not in its hash, because all gateways must find the same place on the ring.
func (v *view) affinity(req *Request, d *Decision) {
	switch {
	case len(req.Session) > 0:
		d.Key = prefix.Key(d.Seed, req.Session)
	case len(req.Prompt.Session) > 0 && req.Prompt.SessionFrom != prompt.FirstUserTurn:
		d.Key = prefix.Key(d.Seed, req.Prompt.Session)
	case d.Total > 0:
		d.Key = req.Prompt.Hash(d.Seed, min(v.common(d.Total), d.Total-1))
	default:
		d.Key = prefix.Key(d.Seed, req.Prompt.Text)
	}
	d.HasKey = true
}

// common is the number of leading blocks that more than half of the endpoints of the best class hold.
func (v *view) common(blocks int) int {
	if levels := v.pool.Levels(); v.alike {
		holders := 0
		for k := len(levels) - 1; k >= 0; k-- {
			if holders += int(levels[k].Holders); holders*2 > v.shares.size {
				return min(int(levels[k].Blocks), blocks)
			}
		}
		return 0
	}
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
	// nearTie is the share of a prompt's own prefill within which costs count as equal, so that the ring decides.
	nearTie = 0.001

	// foreignShare is the share of a prompt by which the ring's own endpoint is preferred if other gateways may have sent
	// the prompt: all gateways have the same ring. It costs balance, so a gateway that is alone does not use it.
	foreignShare = 1

	// Responses that show more in a cache than this gateway has sent: below 0.3 % if it is alone (it takes a cache for
	// smaller than it is), 1 to 5 % with one other gateway.
	foreignFrom = 0.004 // share of responses from which foreignShare begins to count
	foreignFull = 0.01  // and from which it counts in full
)

// foreign is how likely other gateways have sent a prompt that is new here, from 0 (this gateway is alone, or an endpoint is
// believed to hold the prompt) to 1.
func (v *view) foreign(d *Decision) float64 {
	share := v.pool.Foreign()
	if share < foreignFrom || v.known(d) {
		return 0
	}
	return min((share-foreignFrom)/(foreignFull-foreignFrom), 1)
}

// preferHome lowers the cost of the ring's own endpoint for the decision's key, among the endpoints of the best class.
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

// known says whether an endpoint is believed to hold more of the prompt than its common blocks.
func (v *view) known(d *Decision) bool {
	levels := v.pool.Levels()
	return len(levels) > 0 && int(levels[len(levels)-1].Blocks) > v.common(d.Total)
}
