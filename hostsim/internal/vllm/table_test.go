package vllm

import (
	"math/rand/v2"
	"testing"
)

// TestTableIsAMap puts blocks into a table and takes them out, as a map does: with hashes that begin in the same slot, that
// wrap around its end, and pairs of one tag.
func TestTableIsAMap(t *testing.T) {
	const next = 0xF1DE83E19937733D // its product is 1: added to a hash, it leaves the tag
	if tagOf(5) != tagOf(5+next) {
		t.Fatal("the pairs below are to have one tag")
	}
	for _, n := range []int{1, 2, 3, 7, 64} {
		blocks := make([]block, n)
		table, want := newTable(n), map[uint64]int32{}
		var hashes []uint64
		for h := uint64(0); len(hashes) < 4*n; h++ {
			if at := int(tagOf(h) >> table.shift); len(hashes)%4 == 0 || at < 2 || at > len(table.slots)-3 {
				hashes = append(hashes, h, h+next)
			}
		}
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		for range 20_000 {
			hash, i := hashes[rng.IntN(len(hashes))], int32(rng.IntN(n))
			at, found := table.find(blocks, hash)
			block, held := want[hash]
			if found != held || found && table.block(at) != block {
				t.Fatalf("%d blocks: hash %x is found %v, want %v, block %d", n, hash, found, held, block)
			}
			switch {
			case held:
				table.remove(at)
				delete(want, hash)
				blocks[block].cached = false
			case !blocks[i].cached:
				blocks[i].hash, blocks[i].cached = hash, true
				table.set(at, hash, i)
				want[hash] = i
			}
		}
		for hash, block := range want {
			if at, found := table.find(blocks, hash); !found || table.block(at) != block {
				t.Errorf("%d blocks: hash %x is lost", n, hash)
			}
		}
	}
}
