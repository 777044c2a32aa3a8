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
	switch session := named(req); {
	case len(session) > 0:
		d.Key = prefix.Key(d.Seed, session)
	case d.Total > 0:
		d.Key = req.Prompt.Hash(d.Seed, min(v.common(d.Total), d.Total-1))
	default:
		d.Key = prefix.Key(d.Seed, req.Prompt.Text)
	}
	d.HasKey = true
}

// named is the session that a header, or else the body, names; empty: neither does.
func named(req *Request) []byte {
	if len(req.Session) > 0 || req.Prompt.SessionFrom == prompt.FirstUserTurn {
		return req.Session
	}
	return req.Prompt.Session
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

// nearTie is the share of a prompt's own prefill within which costs count as equal, so that the ring decides.
const nearTie = 0.001

// preferHome lowers the cost of the ring's own endpoint, among those of the best class, by the tokens that other gateways have
// probably had computed there; a token costs that much. All gateways have the same ring. A conversation that is new here is
// taken to be there whole: all gateways that know nothing of it must go to one place, and no other can be found. Of one
// that is known here, Pool.Hidden tells how much more than is known was there so far. It costs balance, so a gateway
// that is probably alone does not do it.
func (v *view) preferHome(token float64, req *Request, d *Decision) {
	likely := v.pool.Company()
	if likely == 0 {
		return
	}
	shared := v.pool.Shared()
	d.Key = v.conversation(shared, req, d)
	home := v.home(d.Key)
	if home < 0 {
		return
	}
	levels := v.pool.Levels()
	d.Guess, d.Begins = home, min(shared, d.Total)
	if d.New = len(levels) == 0 || int(levels[len(levels)-1].Blocks) <= shared; !d.New {
		likely *= v.pool.Hidden(&d.Flight)
	}
	v.cost[home] -= likely * d.Uncached(int(v.depth[home])) * token
}

// conversation is a key that all prompts of a conversation have, whichever gateway they come to: the session, if one is
// named; else the first block behind what other conversations begin with.
func (v *view) conversation(shared int, req *Request, d *Decision) uint64 {
	if d.Total == 0 || len(named(req)) > 0 {
		return d.Key
	}
	return req.Prompt.Hash(d.Seed, min(shared, d.Total-1))
}

// home is the ring's own endpoint for a key, among those of the best class; −1: there is none.
func (v *view) home(key uint64) int {
	walk := v.pool.Ring.From(key)
	for i, ok := walk.Next(); ok; i, ok = walk.Next() {
		if v.class[i] == v.best {
			return i
		}
	}
	return -1
}
