package vllm

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGained: of no prompt have more cached blocks come into use than the pool says have of all. A prompt that did not fit
// is not looked up again before (Engine.lookup).
func TestGained(t *testing.T) {
	type held struct {
		hashes []uint64
		blocks []int32
		stored int
	}
	rng := rand.New(rand.NewPCG(5, 1))
	p := newPool(40)
	inUse := func(hashes []uint64) int {
		found, free := p.lookup(hashes)
		return len(found) - free
	}
	chains := make([][]uint64, 6)
	for i := range chains {
		for j := range 12 {
			chains[i] = append(chains[i], uint64(1+j+min(j/4, 1)*100*(1+i%2)+j/9*1000*(1+i)))
		}
	}
	seen, grew := make([]missed, len(chains)), 0
	var running []*held
	for range 50_000 {
		switch s := rng.IntN(4); {
		case s == 0 || len(running) == 0:
			h := &held{hashes: chains[rng.IntN(len(chains))][:1+rng.IntN(12)]}
			found, free := p.lookup(h.hashes[:len(h.hashes)-1])
			if len(h.hashes)-len(found)+free <= p.free {
				h.blocks, h.stored = p.share(nil, found), len(found)
				h.blocks = p.take(h.blocks, len(h.hashes)-h.stored)
				running = append(running, h)
			}
		case s == 1:
			i := rng.IntN(len(running))
			p.release(running[i].blocks)
			running = slices.Delete(running, i, i+1)
		default:
			if h := running[rng.IntN(len(running))]; h.stored < len(h.hashes) {
				p.store(h.blocks[h.stored], h.hashes[h.stored])
				h.stored++
			}
		}
		for i, hashes := range chains {
			n, m := inUse(hashes), &seen[i]
			if n > m.inUse+p.gained-m.gained {
				t.Fatalf("%d blocks of a prompt are in use; %d were, and %d have come since", n, m.inUse, p.gained-m.gained)
			}
			if n > m.inUse {
				grew++
			}
			if rng.IntN(3) == 0 {
				*m = missed{len(hashes), n, p.gained}
			}
		}
	}
	if grew < 1000 {
		t.Errorf("in use came to be more %d times: too few to tell", grew)
	}
}
