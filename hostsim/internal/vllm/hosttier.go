package vllm

// hostTier is the second tier of KV: the hashes of blocks in host memory, evicted by least recent use. A block enters when
// it is computed on the GPU, and stays when the GPU evicts it (vLLM's OffloadingConnector with its CPU manager).
type hostTier struct {
	nodes      []hostNode // a ring: nodes[0] is its end; next is towards the more recently used
	table      map[uint64]int32
	free       int32 // nodes not used yet
	linkFreeAt int64 // ns: the link to the GPU has copied all that was asked for
}

type hostNode struct {
	hash       uint64
	prev, next int32
}

// hostLink is how many times as long a token's KV takes from host memory to the GPU as from the GPU's own memory: 3.35 TB/s × .8 by
// some 50 GB/s, HBM3 and PCIe 5 with 16 lanes (NVIDIA H100 SXM data sheet, PCI Express Base 5.0).
const hostLink = 50

// WithHostKV is the profile of a replica that keeps KV in host memory, so many times as much as its KV memory, > 0. What copying a token's KV
// takes is the profile's, or, where that says nothing, by hostLink.
func (p Profile) WithHostKV(times float64) Profile {
	p.HostKVBlocks = int(times * float64(p.KVBlocks))
	if p.HostPerKVToken == 0 {
		p.HostPerKVToken = hostLink * p.DecodePerKVToken
	}
	return p
}

func newHostTier(blocks int) *hostTier {
	return &hostTier{nodes: make([]hostNode, blocks+1), table: map[uint64]int32{}, free: 1}
}

func (h *hostTier) unlink(i int32) {
	n := h.nodes[i]
	h.nodes[n.prev].next, h.nodes[n.next].prev = n.next, n.prev
}

// touch makes i the most recently used.
func (h *hostTier) touch(i int32) {
	last := h.nodes[0].prev
	h.nodes[i].prev, h.nodes[i].next = last, 0
	h.nodes[last].next, h.nodes[0].prev = i, i
}

// store enters a block, or marks it as used.
func (h *hostTier) store(hash uint64) {
	if i, ok := h.table[hash]; ok {
		h.unlink(i)
		h.touch(i)
		return
	}
	i := h.free
	if int(i) < len(h.nodes) {
		h.free++
	} else {
		i = h.nodes[0].next
		h.unlink(i)
		delete(h.table, h.nodes[i].hash)
	}
	h.nodes[i].hash = hash
	h.table[hash] = i
	h.touch(i)
}

// leading counts the leading hashes that are there.
func (h *hostTier) leading(hashes []uint64) int {
	n := 0
	for n < len(hashes) {
		if _, ok := h.table[hashes[n]]; !ok {
			break
		}
		n++
	}
	return n
}

// lookup counts the leading hashes that are there, and marks them as used, the last first: the head of a chain outlives its
// tail.
func (h *hostTier) lookup(hashes []uint64) int {
	n := h.leading(hashes)
	for i := n - 1; i >= 0; i-- {
		h.store(hashes[i])
	}
	return n
}

// load starts to copy what host memory has of s beyond the GPU's cache. It reports whether there is anything: s then waits
// for it, with its blocks.
func (e *Engine) load(t int64, s *seq) bool {
	usable := e.usable(s)
	gpu := len(s.blocks)
	n := e.host.lookup(usable[gpu:])
	size := e.profile.BlockSize
	if s.Preemptions == 0 && s.ready == 0 {
		e.stats.HostQueries += int64(s.PromptTokens - gpu*size)
		e.stats.HostHits += int64(n * size)
		s.HostTokens = n * size
		s.CachedTokens += n * size
	}
	if n == 0 {
		return false
	}
	s.blocks = e.pool.take(s.blocks, n)
	s.computed = (gpu + n) * size
	for ; s.stored < gpu+n; s.stored++ {
		e.pool.store(s.blocks[s.stored], s.hashes[s.stored])
	}
	e.host.linkFreeAt = max(t, e.host.linkFreeAt) + max(1, int64(e.profile.HostPerKVToken*float64(n*size)))
	s.ready = e.host.linkFreeAt
	e.loading = append(e.loading, s)
	return true
}

// takeLoaded takes the requests whose KV has come by t; they wait for a step.
func (e *Engine) takeLoaded(t int64) {
	n := 0
	for n < len(e.loading) && e.loading[n].ready <= t {
		n++
	}
	e.holding = append(e.holding, e.loading[:n]...)
	e.loading = append(e.loading[:0], e.loading[n:]...)
}
