// Package lrumatch assigns requests to replicas by a prefix hash, after deep-ml problem 437, "Cache-Aware Request Routing
// Across Replicas": each replica remembers the hashes of its last requests, and evicts the least recently used one at
// capacity; a request goes to the replica with the least load among those that remember its hash, else among all, the
// lowest index on a tie; load is the number of requests that the replica ever got.
package lrumatch

import "warmroute/plugin/prefix"

// Matcher is what the replicas remember, and their loads. A hash is a chain of one block, so the memory is a prefix.Index.
type Matcher struct {
	memory   *prefix.Index
	load     []uint64
	depth    []int32 // of the hash that was looked for: 1 where it is remembered
	block    prefix.Chain
	capacity int
}

// New returns empty memories of capacity hashes, at least 1, for replicas 0 to replicas−1 (at most 1024), in at most
// budget bytes; budget 0 is what the capacity takes. secret keys their tables.
func New(replicas, capacity, budget int, secret uint64) *Matcher {
	if budget == 0 {
		budget = prefix.IndexBytes(replicas, replicas*capacity)
	}
	m := &Matcher{memory: prefix.NewIndex(replicas, budget, secret), capacity: capacity, block: prefix.Chain{Hash: make([]uint64, 1)}}
	m.Grow(replicas)
	return m
}

// Release gives the memory back: the matcher is not used any more.
func (m *Matcher) Release() { m.memory.Release() }

// Grow makes room for n replicas.
func (m *Matcher) Grow(n int) {
	m.memory.Grow(n)
	for r := len(m.load); r < n; r++ {
		m.load, m.depth = append(m.load, 0), append(m.depth, 0)
		m.memory.SetCapacity(r, int64(m.capacity))
	}
}

// Assign gives a request to a replica, and says whether that one remembered its hash. There must be a replica.
func (m *Matcher) Assign(hash uint64) (replica int, hit bool) {
	m.Look(hash)
	for r := range m.load {
		if m.Before(r, replica) {
			replica = r
		}
	}
	hit = m.Hit(replica)
	m.Give(replica)
	return replica, hit
}

// Look finds which replicas remember a hash, for Hit, Before and Give.
func (m *Matcher) Look(hash uint64) {
	m.block.Hash[0] = hash
	m.memory.Match(m.block.Hash, m.depth)
}

// Hit says whether a replica remembers the hash.
func (m *Matcher) Hit(r int) bool { return m.depth[r] > 0 }

// Before says whether the rule takes replica r rather than another one. Between equal ones it does not.
func (m *Matcher) Before(r, other int) bool {
	hit := m.Hit(r)
	return hit && !m.Hit(other) || hit == m.Hit(other) && m.load[r] < m.load[other]
}

// Give gives the request whose hash was looked for to a replica.
func (m *Matcher) Give(r int) {
	m.load[r]++
	m.memory.Insert(r, &m.block, 0)
}

// Forget empties a replica's memory, and sets its load to 0: it is another one.
func (m *Matcher) Forget(r int) {
	m.memory.Drop(r)
	m.load[r] = 0
}

// Load is the requests that a replica got; SetLoad changes what it is taken to be.
func (m *Matcher) Load(r int) uint64 { return m.load[r] }

// SetLoad sets it.
func (m *Matcher) SetLoad(r int, load uint64) { m.load[r] = load }
