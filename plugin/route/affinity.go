package route

import (
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// affinity sets the decision's key, by which the ring decides among equals: where a session is named, the session;
// else the first block of the prompt that is not common property. Blocks that more than half of the endpoints hold
// (a system prompt, the tools) say nothing of where a prompt belongs; the one after them does, and stays the same as a
// conversation goes on.
func (p *pool) affinity(req *Request, d *Decision) {
	switch {
	case len(req.Session) > 0:
		d.Key = prefix.Key(d.seed, req.Session)
	case len(req.Prompt.Session) > 0 && req.Prompt.SessionFrom != prompt.FirstUserTurn:
		d.Key = prefix.Key(d.seed, req.Prompt.Session)
	case len(d.Chain) > 0:
		d.Key = d.Chain[min(p.common(len(d.Chain)), len(d.Chain)-1)]
	default:
		d.Key = prefix.Key(d.seed, req.Prompt.Text)
	}
	d.HasKey = true
}

// common is the number of leading blocks that more than half of the endpoints hold.
func (p *pool) common(blocks int) int {
	low, high := 0, blocks
	for low < high {
		middle := int(uint(low+high+1) >> 1)
		holders := 0
		for _, depth := range p.depth {
			if int(depth) >= middle {
				holders++
			}
		}
		if holders*2 > len(p.depth) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
