package route

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// affinity sets the decision's key, by which the ring decides between equal costs: the session, if one is named; else the
// prompt's first block that is not common. Blocks that more than half of the endpoints hold (a system prompt, the tools) do
// not distinguish prompts; the block after them does, and stays the same while a conversation grows. The proxy's secret is
// not in its hash, because all gateways must find the same place on the ring.
func (v *view) affinity(req *decision.Request, d *decision.Decision) {
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
func named(req *decision.Request) []byte {
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

// meet lowers the cost of the ring's own endpoint by what need not be computed there if other gateways have had it computed. Of a
// conversation that is known here it was learned how much that is (pool.Pool.Hidden): a token of it costs 1 + n÷16 + e, and at least
// 1, as in the cost of cacheAware. W is left out: for what is only likely, no more is risked where many wait. That a conversation which
// is new here is there is a guess, so its tokens count 1. total is the prompt tokens of all that came in the last minute.
func (p *cacheAware) meet(total float64, req *decision.Request, d *decision.Decision) {
	v := p.view
	home, likely := v.preferHome(req, d)
	switch {
	case home < 0:
	case d.New:
		v.cost[home] -= likely * d.Uncached(int(v.depth[home]))
	default:
		fair := total * v.fairWork(home)
		above := min((v.given[home]-fair)/(fair+max(d.Tokens, 1)), 1)
		v.cost[home] -= likely * p.tokens[home] * max(1+float64(stalled*v.all[home].Requests)+above, 1)
	}
}

// preferHome is the ring's own endpoint, among those of the best class, and the share, 0 to 1, of what it is not known to hold of
// the prompt that other gateways have probably had computed there; −1: there is none. All gateways have the same ring. A
// conversation that is new here is taken to be there whole: all gateways that know nothing of it must go to one place, and no
// other can be found. Of one that is known here, Pool.Hidden tells how much more than is known was there so far; so it does of one that is mostly
// a text known here, though its session may be new: most of its prompt is where the text is. It costs
// balance, so a gateway that is probably alone does not do it.
func (v *view) preferHome(req *decision.Request, d *decision.Decision) (home int, likely float64) {
	if likely = v.pool.Company(); likely == 0 {
		return -1, 0
	}
	shared := v.pool.Meets(&d.Flight, v.shares.size, req.Now)
	if parted := v.pool.Parted(); parted > shared && shared == v.pool.Shared() && isOwn(parted, req, d) {
		shared = parted
	}
	d.Key = v.conversation(shared, req, d)
	if home = v.home(d.Key); home < 0 {
		return home, 0
	}
	levels := v.pool.Levels()
	d.Guess, d.Begins = home, min(shared, d.Total)
	if d.New = len(levels) == 0 || int(levels[len(levels)-1].Blocks) <= shared; !d.New {
		likely *= v.pool.Hidden(&d.Flight)
	}
	return home, likely
}

// A conversation that has gone on, and is mostly its own, has its place by where it parts from one other already. Else a gateway that has seen but
// one that begins alike would not know it from that, and would look for it elsewhere than one that has seen several. Where it may be a text that
// many ask about, a late fork is better: until it is known they meet by the text. Both numbers are judged (docs/rule.md).
const (
	mostlyOwn = 0.5 // the least part of the prompt behind the place where it parts
	goneOn    = 128 // bytes of canonical prompt behind its first user turn
)

// isOwn says whether a prompt that parts from another behind so many blocks is that.
func isOwn(parted int, req *decision.Request, d *decision.Decision) bool {
	p := req.Prompt
	return parted < d.Total && p.SessionFrom == prompt.FirstUserTurn && p.Size() > p.SystemLen+len(p.Session)+goneOn &&
		float64(d.Chain.Covered(parted)) <= (1-mostlyOwn)*float64(p.Size())
}

// conversation is a key that all prompts of a conversation, or about a text, have, whichever gateway they come to: the session, if one is
// named; else the first block behind so many that others begin with, too.
func (v *view) conversation(shared int, req *decision.Request, d *decision.Decision) uint64 {
	if d.Total == 0 || len(named(req)) > 0 {
		return d.Key
	}
	return req.Prompt.Hash(d.Seed, min(shared, d.Total-1))
}

// home is the ring's own endpoint for a key, among those of the best class; −1: there is none.
func (v *view) home(key uint64) int {
	walk := v.pool.Ring.FromBy(key, v.places)
	for i, ok := walk.Next(); ok; i, ok = walk.Next() {
		if v.class[i] == v.best {
			return i
		}
	}
	return -1
}
