package vllm

// pool is the KV cache of one replica: blocks with reference counts, a table from block hash to block, and
// a free list in order of eviction. A free block keeps its hash, and can be hit, until it is taken for
// something else. Source: vLLM, design document "Automatic Prefix Caching" and v1/core/block_pool.py.
type pool struct {
	blocks []block
	table  table // hash → first block that holds it; more follow by block.twin
	fresh  int   // blocks from here on were never in use: they are free, and are taken first
	head   int32 // of the others that are free, the next to be evicted; none: all are in use
	tail   int32
	free   int
	gained int // how often a block that a look-up finds came into use, or one in use to be found
	found  []int32
}

const none = int32(-1)

type block struct {
	hash       uint64
	prev, next int32 // neighbours in the free list
	twin       int32 // next block with the same hash
	refs       int32
	cached     bool // hash is valid and in the table
	state      bool // and the state at its end is kept: a prompt can go on from there
}

func newPool(n int) *pool {
	return &pool{blocks: make([]block, n), table: newTable(n), head: none, tail: none, free: n}
}

func (p *pool) pushFree(i int32) {
	b := &p.blocks[i]
	b.prev, b.next = p.tail, none
	if p.tail == none {
		p.head = i
	} else {
		p.blocks[p.tail].next = i
	}
	p.tail = i
	p.free++
}

func (p *pool) removeFree(i int32) {
	b := &p.blocks[i]
	if b.prev == none {
		p.head = b.next
	} else {
		p.blocks[b.prev].next = b.next
	}
	if b.next == none {
		p.tail = b.prev
	} else {
		p.blocks[b.next].prev = b.prev
	}
	p.free--
}

// lookup finds the blocks of the leading hashes that are cached, and counts those on the free list. They are valid until the next look-up.
func (p *pool) lookup(hashes []uint64) (found []int32, free int) {
	found = p.found[:0]
	for _, h := range hashes {
		at, ok := p.table.find(p.blocks, h)
		if !ok {
			break
		}
		i := p.table.block(at)
		if found = append(found, i); p.blocks[i].refs == 0 {
			free++
		}
	}
	p.found = found
	return found, free
}

// keepState says that a prompt can go on from the end of block i, and from the one that is hit in its place.
func (p *pool) keepState(i int32) {
	own := &p.blocks[i]
	at, _ := p.table.find(p.blocks, own.hash)
	if b := &p.blocks[p.table.block(at)]; !b.state {
		b.state = true
		p.gained++
	}
	own.state = true
}

// toState leaves out the last of the blocks found from which no prompt can go on, free of them on the free list.
func (p *pool) toState(found []int32, free int) ([]int32, int) {
	for n := len(found); n > 0 && !p.blocks[found[n-1]].state; n-- {
		if p.blocks[found[n-1]].refs == 0 {
			free--
		}
		found = found[:n-1]
	}
	return found, free
}

// share takes one more reference on each of the cached blocks that were found, and appends them to dst.
func (p *pool) share(dst, found []int32) []int32 {
	for _, i := range found {
		if p.blocks[i].refs == 0 {
			p.removeFree(i)
			p.gained++
		}
		p.blocks[i].refs++
		dst = append(dst, i)
	}
	return dst
}

// take appends n blocks from the free list to dst and evicts what they held. The caller makes sure that p.free ≥ n.
func (p *pool) take(dst []int32, n int) []int32 {
	for range n {
		i := p.head
		if p.fresh < len(p.blocks) {
			i = int32(p.fresh)
			p.fresh++
			p.free--
			p.blocks[i].twin = none
		} else {
			p.removeFree(i)
			p.forget(i)
		}
		p.blocks[i].refs = 1
		dst = append(dst, i)
	}
	return dst
}

// store enters a block that is now full. A block that holds the same hash already stays the one that is hit.
func (p *pool) store(i int32, hash uint64) {
	b := &p.blocks[i]
	if b.cached {
		return
	}
	b.hash, b.cached, b.state = hash, true, false
	p.gained++
	at, ok := p.table.find(p.blocks, hash)
	if !ok {
		p.table.set(at, hash, i)
		return
	}
	first := p.table.block(at)
	b.twin = p.blocks[first].twin
	p.blocks[first].twin = i
}

// forget takes a block out of the table.
func (p *pool) forget(i int32) {
	b := &p.blocks[i]
	if !b.cached {
		return
	}
	b.cached = false
	at, _ := p.table.find(p.blocks, b.hash)
	if first := p.table.block(at); first != i {
		for p.blocks[first].twin != i {
			first = p.blocks[first].twin
		}
		p.blocks[first].twin = b.twin
	} else if b.twin != none {
		p.table.set(at, b.hash, b.twin)
		p.gained++
	} else {
		p.table.remove(at)
	}
	b.twin = none
}

// release gives up one reference on each block, last first: the tail of a chain is evicted before its head.
func (p *pool) release(blocks []int32) {
	for k := len(blocks) - 1; k >= 0; k-- {
		i := blocks[k]
		p.blocks[i].refs--
		if p.blocks[i].refs == 0 {
			p.pushFree(i)
		}
	}
}

// reset forgets every hash.
func (p *pool) reset() {
	p.table.clear()
	for i := range p.blocks[:p.fresh] {
		p.blocks[i].cached, p.blocks[i].twin = false, none
	}
}
