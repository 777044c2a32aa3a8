package route

import (
	"slices"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prefix"
)

// LRUMatch assigns requests to replicas by a prefix hash, after deep-ml problem 437, "Cache-Aware Request Routing
// Across Replicas": each replica remembers the hashes of its last requests, and evicts the least recently used one at
// capacity; a request goes to the replica with the least load among those that remember its hash, else among all, the
// lowest index on a tie; load is the number of requests that the replica ever got.
//
// A hash is a chain of one block, so the memory is a prefix.Index.
type LRUMatch struct {
	memory   *prefix.Index
	load     []uint64
	depth    []int32
	block    prefix.Chain
	capacity int
}

// NewLRUMatch returns empty memories of capacity hashes, at least 1, for replicas 0 to replicas−1 (at most 1024), in at most
// budget bytes; budget 0 is what the capacity takes. secret keys their tables.
func NewLRUMatch(replicas, capacity, budget int, secret uint64) *LRUMatch {
	if budget == 0 {
		budget = prefix.IndexBytes(replicas, replicas*capacity)
	}
	m := &LRUMatch{memory: prefix.NewIndex(replicas, budget, secret), capacity: capacity, block: prefix.Chain{Hash: make([]uint64, 1)}}
	m.grow(replicas)
	return m
}

// grow makes room for n replicas.
func (m *LRUMatch) grow(n int) {
	m.memory.Grow(n)
	for r := len(m.load); r < n; r++ {
		m.load, m.depth = append(m.load, 0), append(m.depth, 0)
		m.memory.SetCapacity(r, int64(m.capacity))
	}
}

// Assign gives the request to a replica, and says whether that one remembered its hash.
func (m *LRUMatch) Assign(hash uint64) (replica int, hit bool) {
	m.look(hash)
	replica, hit = m.best(nil, well, nil)
	m.give(replica)
	return replica, hit
}

func (m *LRUMatch) look(hash uint64) {
	m.block.Hash[0] = hash
	m.memory.Match(m.block.Hash, m.depth)
}

// best is the replica to take of a class, of all where classes is nil, without those taken; −1 where there is none.
func (m *LRUMatch) best(classes []class, c class, taken []int) (replica int, hit bool) {
	replica = -1
	for r, load := range m.load {
		if classes != nil && classes[r] != c || slices.Contains(taken, r) {
			continue
		}
		holds := m.depth[r] > 0
		if replica < 0 || holds && !hit || holds == hit && load < m.load[replica] {
			replica, hit = r, holds
		}
	}
	return replica, hit
}

func (m *LRUMatch) give(replica int) {
	m.load[replica]++
	m.memory.Insert(replica, &m.block, 0)
}

// lruMatch is LRUMatch among the endpoints that are well, with the key of prefix_hash.
type lruMatch struct {
	*LRUMatch
	view  *view
	chars int
}

func newLRUMatch(cfg *config.Config, r *Router, _ source) policy {
	return &lruMatch{NewLRUMatch(0, cfg.LruMatch.Capacity, lruMatchBytes(cfg), cfg.Secret), &r.view, cfg.PrefixHash.PrefixChars}
}

// admit sets the endpoint's load to that of the least used one: with its old load, or none, it would get all requests until
// it has caught up. A new endpoint has an empty memory.
func (p *lruMatch) admit(i int, anew bool) {
	p.grow(len(p.view.pool.Endpoints))
	if anew {
		p.memory.Drop(i)
		p.LRUMatch.load[i] = 0
	}
	first := true
	for j, load := range p.LRUMatch.load {
		if j != i && p.view.pool.Serving(j) && (first || load < p.LRUMatch.load[i]) {
			p.LRUMatch.load[i], first = load, false
		}
	}
}

func (p *lruMatch) pick(req *decision.Request, n int, d *decision.Decision) {
	d.Key, d.HasKey = beginningKey(d.Seed, req, p.chars), true
	p.grow(len(p.view.pool.Endpoints))
	p.look(d.Key)
	d.Reason = decision.ByLoad
	for c := well; c < classes; c++ {
		for len(d.Order) < n {
			i, hit := p.best(p.view.class, c, d.Order)
			if i < 0 {
				break
			}
			if len(d.Order) == 0 && hit {
				d.Reason = decision.ByMatch
			}
			d.Order = append(d.Order, i)
		}
	}
	d.Term("given", float64(p.load[d.Order[0]]))
	p.give(d.Order[0])
}
