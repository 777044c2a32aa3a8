package route

import (
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// affinity sets the decision's key, by which the ring decides among equals: where a session is named, the session;
// else the first block of the prompt that is not common property. Blocks that more than half of those who bear the load
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

// common is the number of leading blocks that more than half of those who bear the load hold.
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

// Shares of a prompt's own prefill time within which costs are equal, and the ring decides.
const (
	nearTie = 0.001

	// Where other gateways route to the same endpoints and tell nothing, a prompt that is new here may be known to
	// them; the ring is what all agree on. With a fifth, two and four gateways hit .280 and .277 where one hits .310
	// (mooncake conversations, 8 × 3,000 blocks, the time included that they take to notice; with nearTie .215 and
	// .157). It costs balance, 1.08 against 1.01, so it is not for a gateway that is alone.
	strangersTie = 0.2

	// A gateway that is alone sees below 0.3 % of such answers, where it takes a cache for smaller than it is; with
	// one other, 1 to 5 %. The weight of an answer is small, to tell these apart.
	strangeWeight = 0.003
	strangeFrom   = 0.004 // share of answers from which strangersTie begins to count
	strangeFull   = 0.01  // and from which it counts in full
)

// strangers is how far it is to be supposed that others know a prompt which is new here: 0 for a gateway that is alone,
// and for prompts that somebody is believed to hold, up to 1.
func (v *view) strangers(d *Decision) float64 {
	if v.pool.Foreign() < strangeFrom || v.known(d) {
		return 0
	}
	return min((v.pool.Foreign()-strangeFrom)/(strangeFull-strangeFrom), 1)
}

// nearTie is how near costs are to be for the ring to decide, as a share of the prompt's own prefill time.
func (v *view) nearTie(d *Decision) float64 {
	return nearTie + (strangersTie-nearTie)*v.strangers(d)
}

// preferHome lowers the cost of the ring's own endpoint for the decision's key, of those who bear the load.
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

// known says whether anyone is believed to hold more of the prompt than is common property.
func (v *view) known(d *Decision) bool {
	common := v.common(d.Total)
	for _, depth := range v.depth {
		if int(depth) > common {
			return true
		}
	}
	return false
}
