// Package prefix turns canonical prompt bytes into a chain of block hashes, and keeps which endpoint holds which block.
//
// Blocks grow with depth (blockSize): they are short near the beginning, where prompts begin to differ, and long further
// on, where a conversation repeats itself, so that 1 MB of prompt is some 150 blocks. The bytes of a block are hashed alone,
// by XXH64 (Yann Collet, the xxHash specification 0.1.1), as they stream by. Chain then hashes each of these sums with the
// hash of the block before it as the seed, as vLLM chains its KV blocks. So two prompts have the same n-th hash only if all
// their bytes up to there are the same, but for a collision of 64 bits: by chance, or made by a client, which then misleads about its own
// prompts. The first seed may be known last, because clients may write the model after the messages.
package prefix

import (
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warmroute/plugin/bytestr"
)

// DefaultBlockBytes is the size of a prompt's first blocks in bytes: about 64 tokens of English text, four of vLLM's KV
// blocks. What is lost is half a block at the end of a match.
const DefaultBlockBytes = 256

// MaxBlockBytes is the largest size of a first block: the longest block, 64 times as long, must fit an index entry.
const MaxBlockBytes = 1020

// blockSize is the size of the block that begins `at` bytes into a part: unit, 4 × unit, 16 × unit and 64 × unit (256 B,
// 1, 4 and 16 KB) from 0, 16, 128 and 1,024 units on (0, 4, 32 and 256 KB). So beyond the first 16 units a block is at most
// a quarter of what stands before it.
func blockSize(unit, at int) int {
	switch {
	case at < 16*unit:
		return unit
	case at < 128*unit:
		return 4 * unit
	case at < 1024*unit:
		return 16 * unit
	}
	return 64 * unit
}

// Seed is where a chain starts. It keeps apart what a replica's cache keeps apart: the model, the LoRA adapter and
// cache_salt, and the tenant. Each is preceded by its length, so no two tuples have the same bytes. Where it is more than a model it is of
// SHA-256: XXH64 can be computed backwards, so that a client could make a salt that leads to another tenant's seed.
func Seed(model, adapter, salt, tenant []byte) uint64 {
	parts := [...][]byte{model, adapter, salt, tenant}
	if len(adapter)+len(salt)+len(tenant) > 0 {
		s := bytestr.NewSha256()
		for _, part := range parts {
			s.WriteLen(len(part))
			s.Write(part)
		}
		return s.End()
	}
	var d xxhash.Digest
	d.Reset()
	for _, part := range parts {
		n := uint64(len(part))
		d.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), byte(n >> 32), byte(n >> 40), byte(n >> 48), byte(n >> 56)})
		d.Write(part)
	}
	return d.Sum64()
}

// Chain is the blocks of a prompt from its beginning.
type Chain struct {
	Hash []uint64 // of each block and all before it
	End  []uint32 // bytes of the prompt up to the end of each block. Empty: each block counts as one byte (package lrumatch)
}

// Len is the number of blocks.
func (c *Chain) Len() int { return len(c.Hash) }

// Reset empties the chain and keeps its room.
func (c *Chain) Reset() { c.Hash, c.End = c.Hash[:0], c.End[:0] }

// Covered is the bytes of prompt in the first blocks; blocks is at most Len.
func (c *Chain) Covered(blocks int) int {
	switch {
	case blocks <= 0:
		return 0
	case len(c.End) == 0:
		return blocks
	}
	return int(c.End[blocks-1])
}

// Blocks is the number of leading blocks that lie whole within the first bytes of the prompt: Covered(Blocks(n)) ≤ n.
func (c *Chain) Blocks(bytes int) int {
	low, high := 0, len(c.Hash)
	for low < high {
		middle := int(uint(low+high+1) >> 1)
		if c.Covered(middle) <= bytes {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// Cut keeps the first blocks, at most that many.
func (c *Chain) Cut(blocks int) {
	if blocks < len(c.Hash) {
		c.Hash, c.End = c.Hash[:blocks], c.End[:min(blocks, len(c.End))]
	}
}

// size is the bytes of one block.
func (c *Chain) size(block int) int { return c.Covered(block+1) - c.Covered(block) }

// Append adds the blocks of the prompt's next part. The rest at the part's end is a block of its own if another part
// follows, and no block if the prompt may go on there. The seed of the first part is Seed's. It allocates nothing if the
// chain has room.
func (c *Chain) Append(seed uint64, f *Fold, follows bool) {
	start := uint32(0)
	if n := len(c.Hash); n > 0 {
		seed, start = c.Hash[n-1], c.End[n-1]
	}
	had := len(c.Hash)
	n := min(len(f.sums), MaxBlocks-had)
	c.Hash, c.End = slices.Grow(c.Hash, n)[:had+n], slices.Grow(c.End, n)[:had+n]
	hashes, ends := c.Hash[had:], c.End[had:]
	for i, sum := range f.sums[:n] {
		seed = link(seed, sum)
		hashes[i], ends[i] = seed, start+f.ends[i]
	}
	if follows && f.hasTail() && len(c.Hash) < MaxBlocks {
		c.Hash, c.End = append(c.Hash, link(seed, f.digest.Sum64())), append(c.End, start+uint32(f.size))
	}
}

// Link is the hash of the last of the part's first blocks, at most that many, which Append would add; left is how many more
// there were to be.
func (f *Fold) Link(seed uint64, blocks int, follows bool) (hash uint64, left int) {
	n := min(blocks, len(f.sums))
	for _, sum := range f.sums[:n] {
		seed = link(seed, sum)
	}
	if left = blocks - n; left > 0 && follows && f.hasTail() {
		return link(seed, f.digest.Sum64()), left - 1
	}
	return seed, left
}

// link is the hash of a block: XXH64 of its own sum, little endian, with the hash of the block before it as the seed (the
// specification's steps for an input of eight bytes).
func link(seed, sum uint64) uint64 {
	const p1, p2, p3, p4, p5 = 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261
	h := seed + p5 + 8
	h ^= bits.RotateLeft64(sum*p2, 31) * p1
	h = bits.RotateLeft64(h, 27)*p1 + p4
	h = (h ^ h>>33) * p2
	h = (h ^ h>>29) * p3
	return h ^ h>>32
}
