package prefix

// A conversation's prompts each begin with the one before: their chains grow and do not fork. So where chains fork, several
// conversations begin alike (a system prompt, a tool's description, a file), and the block behind the last such place tells
// one conversation from the others. That is a property of prompts, not of where they were sent: indexes that saw different
// prompts of the same conversations mostly find the same block.

// manyForks is how many chains must leave a beginning otherwise than the one before them for it to be shared. One fork may be a
// conversation whose last turn was sent again in other words.
const manyForks = 2

// Shared is how many leading blocks of the last Match's chain other conversations begin with, too, as far as this index has
// seen them.
func (x *Index) Shared() int { return x.shared }

// Parted is how many leading blocks of the last Match's chain another chain has gone on from otherwise, this one's own parting included. So a
// second conversation is told from the first at once; but it may be one whose last turn was sent again in other words.
func (x *Index) Parted() int { return x.parted }

// parts says whether chains part behind the run's first n blocks: some have before, or one does that goes on there with rest.
func (r *run) parts(n int, rest []uint64) bool {
	if n < int(r.count) {
		return len(rest) > 0
	}
	return r.forks > 0 || len(rest) > 0 && r.after != 0 && r.after != tag(rest[0])
}

// goesOn records the block that follows the run in a chain: a fork, if another one did before.
func (r *run) goesOn(hash uint64) {
	next := tag(hash)
	if r.after != 0 && r.after != next && r.forks < 255 {
		r.forks++
	}
	r.after = next
}

// tag is 15 bits of a hash, never 0.
func tag(hash uint64) uint16 { return uint16(hash>>48) | 1 }
