package pool

import "warmroute/plugin/prefix"

// A server keeps the responses of the Responses API that it gave (vLLM: with VLLM_ENABLE_RESPONSES_API_STORE), and no other server does:
// a request that continues one, or asks for it, is answered there, and with 404 elsewhere. So all workers and gateways are told which
// endpoint keeps which, as a Visit with the step Stored, whose chain is one hash of the response's name.

// stored is which endpoints keep which responses: of so many as there is room for, those that came last.
type stored struct {
	of    *Pool        // whose these are; nil: its own
	slots []storedSlot // a power of two, in sets of storedSet; nil: none was kept yet
	chain prefix.Chain // of what is told
}

type storedSlot struct {
	hash     uint64
	turn     uint32 // of the endpoint
	at       uint32 // ms
	endpoint int32
}

const (
	storedSet   = 8
	storedLeast = 1 << 8
	storedMost  = 1 << 14 // 400 KB
	storedSeed  = 0x6f1d5a2b9c3e8471
)

// NoteResponse records that endpoint i keeps the response of that name, and returns what others are to be told.
func (p *Pool) NoteResponse(i int, id []byte, now int64) Visit {
	c := &p.stored.chain
	c.Reset()
	c.Hash, c.End = append(c.Hash, p.storedHash(id)), append(c.End, 1)
	v := Visit{Step: prefix.Stored, Chain: c, At: now}
	p.recordStored(i, &v)
	return v
}

// KeepersOf takes what endpoints keep from another pool, of the same endpoints, from now on: a shadow's have answered nothing.
func (p *Pool) KeepersOf(other *Pool) { p.stored.of = other }

// Keeper is the endpoint that keeps the response of that name; -1: none is known to.
func (p *Pool) Keeper(id []byte) int {
	if other := p.stored.of; other != nil {
		if i := other.Keeper(id); i < 0 || i < len(p.ends) && p.Present(i) {
			return i
		}
		return -1
	}
	hash := p.storedHash(id)
	for _, s := range p.stored.set(hash) {
		if i := int(s.endpoint); s.hash == hash && p.Present(i) && s.turn == p.ends[i].turn {
			return i
		}
	}
	return -1
}

func (p *Pool) storedHash(id []byte) uint64 { return max(prefix.Key(storedSeed^p.secret, id), 1) }

// recordStored records a visit of the step Stored.
func (p *Pool) recordStored(i int, v *Visit) {
	if v.Chain.Len() > 0 {
		p.stored.add(storedSlot{v.Chain.Hash[0], p.ends[i].turn, millis(v.At), int32(i)})
	}
}

// dropStored forgets what endpoint i kept: it has begun anew.
func (p *Pool) dropStored(i int) {
	for k := range p.stored.slots {
		if s := &p.stored.slots[k]; s.endpoint == int32(i) {
			*s = storedSlot{}
		}
	}
}

// set is where a hash may be.
func (t *stored) set(hash uint64) []storedSlot {
	if t.slots == nil {
		return nil
	}
	from := int(hash>>32) & (len(t.slots) - 1) &^ (storedSet - 1)
	return t.slots[from : from+storedSet]
}

// add takes the place of the one that came first, where a set is full and there is no more room.
func (t *stored) add(s storedSlot) {
	if t.slots == nil {
		t.slots = make([]storedSlot, storedLeast)
	}
	set := t.set(s.hash)
	to := &set[0]
	for k := range set {
		at := &set[k]
		if at.hash == s.hash {
			to = at
			break
		}
		if to.hash != 0 && (at.hash == 0 || int32(at.at-to.at) < 0) {
			to = at
		}
	}
	if to.hash != 0 && to.hash != s.hash && len(t.slots) < storedMost {
		old := t.slots
		t.slots = make([]storedSlot, 2*len(old))
		for _, o := range old {
			if o.hash != 0 {
				t.add(o)
			}
		}
		t.add(s)
		return
	}
	*to = s
}
