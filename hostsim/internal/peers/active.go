package peers

// active is the blocks of the prompts under way at a replica, each counted once: a radix tree. Hashes are chained, so that a
// prompt's blocks are a way from the root.
type active struct {
	blocks int // different ones
	next   map[uint64]*branch
}

// branch is blocks that the same prompts have.
type branch struct {
	blocks  []uint64 // not empty
	prompts int      // that have them, at least 1
	next    map[uint64]*branch
}

// shared is how many leading blocks of a prompt those under way have.
func (a *active) shared(blocks []uint64) (n int) {
	next := a.next
	for n < len(blocks) {
		b := next[blocks[n]]
		if b == nil {
			break
		}
		same := common(b.blocks, blocks[n:])
		if n += same; same < len(b.blocks) {
			break
		}
		next = b.next
	}
	return n
}

// add counts a prompt. It keeps the blocks, which may not change.
func (a *active) add(blocks []uint64) {
	for next := &a.next; len(blocks) > 0; {
		if *next == nil {
			*next = map[uint64]*branch{}
		}
		b := (*next)[blocks[0]]
		if b == nil {
			(*next)[blocks[0]] = &branch{blocks: blocks, prompts: 1}
			a.blocks += len(blocks)
			return
		}
		if n := common(b.blocks, blocks); n < len(b.blocks) {
			rest := &branch{blocks: b.blocks[n:], prompts: b.prompts, next: b.next}
			b.blocks, b.next = b.blocks[:n], map[uint64]*branch{rest.blocks[0]: rest}
		}
		b.prompts++
		blocks, next = blocks[len(b.blocks):], &b.next
	}
}

// remove takes away a prompt that was added.
func (a *active) remove(blocks []uint64) {
	for next := a.next; len(blocks) > 0; {
		b := next[blocks[0]]
		if b.prompts--; b.prompts == 0 { // nor has any other what follows
			delete(next, blocks[0])
			a.blocks -= len(blocks)
			return
		}
		blocks, next = blocks[len(b.blocks):], b.next
	}
}
