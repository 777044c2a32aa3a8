package pool

import (
	"warmroute/plugin/keepers"
	"warmroute/plugin/prefix"
)

// A server keeps the responses of the Responses API that it gave (vLLM: with VLLM_ENABLE_RESPONSES_API_STORE), and no other server does:
// a request that continues one, or asks for it, is answered there, and with 404 elsewhere. So all workers and gateways are told which
// endpoint keeps which, as a Visit with the step Stored, whose chain is one hash of the response's name.

// stored is which endpoints keep which responses.
type stored struct {
	of    *Pool // whose these are; nil: its own
	table keepers.Table
	chain prefix.Chain // of what is told
}

// NoteResponse records that endpoint i keeps the response of that name, and returns what others are to be told. owner is a number of the tenant
// whose it is, 0 where there are none.
func (p *Pool) NoteResponse(i int, owner uint64, id []byte, now int64) Visit {
	c := &p.stored.chain
	c.Reset()
	c.Hash, c.End = append(c.Hash, keepers.Hash(p.secret^owner, id)), append(c.End, 1)
	v := Visit{Step: prefix.Stored, Chain: c, At: now}
	p.recordStored(i, &v)
	return v
}

// KeepersOf takes what endpoints keep from another pool, of the same endpoints, from now on: a shadow's have answered nothing.
func (p *Pool) KeepersOf(other *Pool) { p.stored.of = other }

// Keeper is the endpoint that keeps the tenant's response of that name; -1: none is known to.
func (p *Pool) Keeper(owner uint64, id []byte) int {
	if other := p.stored.of; other != nil {
		if i := other.Keeper(owner, id); i < 0 || i < len(p.ends) && p.Present(i) {
			return i
		}
		return -1
	}
	return p.keeper(keepers.Hash(p.secret^owner, id))
}

func (p *Pool) keeper(hash uint64) int {
	i, turn := p.stored.table.Find(hash)
	if i >= 0 && p.Present(i) && turn == p.ends[i].turn {
		return i
	}
	return -1
}

// recordStored records a visit of the step Stored. Where an endpoint keeps a response of that name, the other one was named like it: requests
// may name their responses, and nobody is to lead the next turn of somebody else's away.
func (p *Pool) recordStored(i int, v *Visit) {
	if v.Chain.Len() > 0 && p.keeper(v.Chain.Hash[0]) < 0 {
		p.stored.table.Note(v.Chain.Hash[0], i, p.ends[i].turn, millis(v.At))
	}
}
