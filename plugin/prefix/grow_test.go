package prefix

import (
	"math/rand/v2"
	"testing"
)

// Endpoints that come when the index is full make its records longer: it takes less than twice its budget, and goes on.
func TestGrowOfAFullIndex(t *testing.T) {
	const budget = 1 << 20
	x := NewIndex(60, budget, 1)
	f := forest{random: rand.New(rand.NewPCG(1, 3))}
	for now, n := uint32(0), 60; n <= MaxEndpoints; n = n*3/2 + 1 {
		x.Grow(n)
		if x.Bytes() > 2*budget {
			t.Fatalf("%d bytes with %d endpoints, the budget is %d", x.Bytes(), n, budget)
		}
		for range 5000 {
			now++
			x.Insert(f.random.IntN(n), plain(f.chain()...), now)
		}
		checkTables(t, x)
	}
}
