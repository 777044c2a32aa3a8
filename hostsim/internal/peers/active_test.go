package peers

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestActive compares the tree with counts of each block while prompts of few different beginnings come and go.
func TestActive(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	prompts := make([][]uint64, 40)
	for i := range prompts {
		hash := uint64(0)
		for range rng.IntN(30) {
			hash = chained(hash, 1+uint64(rng.IntN(20)/19))
			prompts[i] = append(prompts[i], hash)
		}
	}
	var a active
	var here [][]uint64
	counts := map[uint64]int{}
	for range 20_000 {
		p := prompts[rng.IntN(len(prompts))]
		want := 0
		for want < len(p) && counts[p[want]] > 0 {
			want++
		}
		if got := a.shared(p); got != want {
			t.Fatalf("%d blocks of a prompt are shared, want %d", got, want)
		}
		if len(here) < 12 && rng.IntN(2) == 0 {
			a.add(p)
			here = append(here, p)
			for _, b := range p {
				counts[b]++
			}
		} else if len(here) > 0 {
			i := rng.IntN(len(here))
			a.remove(here[i])
			for _, b := range here[i] {
				if counts[b]--; counts[b] == 0 {
					delete(counts, b)
				}
			}
			here = slices.Delete(here, i, i+1)
		}
		if a.blocks != len(counts) {
			t.Fatalf("%d blocks, want %d", a.blocks, len(counts))
		}
	}
}
