package pool

import (
	"slices"

	"warmroute/plugin/config"
	"warmroute/plugin/ring"
)

// Endpoints join and leave. Each keeps its index while it is in the pool; the index of one that left may be given to
// another later. All that is learned is kept by index, so endpoints that stay lose nothing.

// Reserve makes room for n endpoints; the new ones are absent. Place does it one by one, which is slower.
func (p *Pool) Reserve(n int) {
	if n <= len(p.Endpoints) {
		return
	}
	p.Endpoints = append(p.Endpoints, make([]config.Endpoint, n-len(p.Endpoints))...)
	p.ends = slices.Grow(p.ends, n-len(p.ends))
	for len(p.ends) < n {
		p.ends = append(p.ends, endpoint{weight: 1})
		p.depth = append(p.depth, 0)
		p.Lost.Grow()
		p.summaries.add()
		p.speeds.Add()
		p.sizes.changed = true
		p.Health.Add()
	}
	if p.Index != nil {
		p.Index.Grow(n)
	}
}

// Place puts e into the pool at index i, 0 to 1023, or changes the endpoint there. Another address is another endpoint, of
// which nothing is known: it gets a fair share of the new prompts at once. With the same address only the weight and the
// cluster change.
func (p *Pool) Place(i int, e config.Endpoint, now int64) {
	p.Reserve(i + 1)
	old, present := p.Endpoints[i], p.Present(i)
	if present && old.Address != e.Address {
		p.Remove(i)
		present = false
	}
	p.Endpoints[i] = e
	p.locate(i, e.Zone)
	p.ranked = p.ranked || e.IsRank()
	if present && old.Weight == e.Weight {
		return
	}
	p.Ring.Add(i, e.Address, e.Weight)
	p.ends[i].weight = max(e.Weight, 1)
	p.touch(i)
	if present {
		return
	}
	p.forget(i) // what its last requests have reported since it left, failures above all
	p.Health.Set(i, true)
	p.speeds.Set(i, true)
	p.join(i, now)
	p.admit(i, true, now)
}

// Remove takes the endpoint at index i out of the pool. Its requests in flight continue.
func (p *Pool) Remove(i int) {
	if i >= len(p.Endpoints) || !p.Present(i) {
		return
	}
	p.Ring.Remove(i)
	p.forget(i)
	p.locate(i, "")
	p.ends[i].weight = 1
	p.touch(i)
}

// forget drops all that was learned of endpoint i.
func (p *Pool) forget(i int) {
	told := p.ends[i].cache.hitTokens
	if p.ends[i].learned = (learned{}); told > 0 {
		p.fitGrain()
	}
	p.Health.Set(i, false)
	p.speeds.Set(i, false)
	p.Lost.Forget(i)
	p.ends[i].turn++
	p.changes++
	p.sizes.changed = true
	p.touch(i)
	if !p.borrowed {
		p.SetModels(i, nil)
	}
	if p.Index != nil {
		p.Index.Drop(i)
		p.Index.SetCapacity(i, 0)
	}
}

// admit lets endpoint i have requests, for the first time or again. Its recent work is set to the mean of the others, so
// that it gets its share of the new prompts, and not all of them until it has caught up.
func (p *Pool) admit(i int, anew bool, now int64) {
	p.levelWork(i, now)
	if p.Admitted != nil {
		p.Admitted(i, anew)
	}
}

// JoinAtOnce is how many endpoints one call of SetMembers adds to those that there are: the places of 64 on the ring are
// found in about a millisecond.
const JoinAtOnce = 64

// SetMembers makes the pool the n endpoints that at returns by index. Endpoints that leave, or whose weight falls, are
// changed first, because the ring has room for a fixed number of points. Where many join a pool that has others, some of
// them are left for the next call: more says so.
func (p *Pool) SetMembers(n int, at func(i int) (e config.Endpoint, present bool), now int64) (more bool) {
	p.Reserve(n)
	for i := range n {
		if e, present := at(i); !present {
			p.Remove(i)
		} else if p.Present(i) && e.Weight < p.Endpoints[i].Weight {
			p.Place(i, e, now)
		}
	}
	room := JoinAtOnce
	if p.first = p.Size() == 0; p.first {
		room = n
	}
	for i := range n {
		e, present := at(i)
		if !present {
			continue
		}
		if !p.Present(i) {
			if room == 0 {
				more = true
				continue
			}
			room--
		}
		p.Place(i, e, now)
	}
	if p.first = false; !more {
		p.shareRing()
	}
	return more
}

// Rings is the points of the rings of several pools.
type Rings = ring.Tables

// ShareRing lets pools of the same endpoints have one table of the ring's points in memory.
func (p *Pool) ShareRing(in *Rings) {
	p.tables = in
	p.shareRing()
}

func (p *Pool) shareRing() {
	if p.tables != nil {
		p.tables.Share(p.Ring)
	}
}

// CopyMembers makes the pool's members those of another pool, some of them by the next calls.
func (p *Pool) CopyMembers(from *Pool, now int64) {
	p.SetMembers(len(from.Endpoints), func(i int) (config.Endpoint, bool) {
		return from.Endpoints[i], from.Present(i)
	}, now)
}

// CopyLearned copies what another pool has learned of the same endpoints: weight, speed and health, the size of their
// caches, and the bytes of a token. It does not copy the effects of requests: what is in flight, queued and recently sent,
// and what the caches hold; nor metrics, which show the effects of the other pool's requests.
func (p *Pool) CopyLearned(from *Pool, now int64) {
	p.tokens, p.Stays, p.Answers, p.repeats, p.adapters = from.tokens, from.Stays, from.Answers, from.repeats, from.adapters
	p.speeds.Copy(&from.speeds)
	p.hosts.together = from.hosts.together
	from.compareSizes()
	p.sizes = from.sizes
	p.touchAll()
	p.served, p.borrowed = from.served, true
	for i := range p.ends {
		if from.Health.Down(i) && !p.Health.Down(i) && (from.Index == nil || from.Index.Held(i) == 0) {
			p.EmptyCache(i, now) // as the other pool has: the endpoint refuses connections
		}
		e, o, served := &p.ends[i], &from.ends[i], p.Serving(i)
		e.weight = o.weight
		p.Health.Copy(i, &from.Health)
		e.memory.residence = o.memory.residence
		e.slots.Most = o.slots.Most
		if !served && p.Serving(i) {
			p.admit(i, false, now)
		}
		if p.Index != nil && from.Index != nil {
			bytes, _ := from.Index.Capacity(i)
			p.Index.SetCapacity(i, bytes)
		}
	}
}

// Weight is the share of the load that endpoint i should have, relative to the others; at least 1.
func (p *Pool) Weight(i int) int { return p.ends[i].weight }
