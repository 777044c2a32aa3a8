package main

import (
	"math/rand/v2"
	"testing"
)

// TestContexts: a table finds what a map finds, whatever the order in which requests come and go.
func TestContexts(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var c contexts
		c.grow()
		want := map[uint32]*stream{}
		next := uint32(1)
		open := 1 + random.IntN(300)
		for step := range 5000 {
			switch {
			case len(want) < open && random.IntN(3) > 0:
				next += 1 + uint32(random.IntN(2)*random.IntN(200)) // others' contexts have IDs too
				s := &stream{}
				c.add(next, s)
				want[next] = s
			default:
				id := next - uint32(random.IntN(400))
				if _, has := want[id]; c.remove(id) != has {
					t.Fatalf("seed %d, step %d: remove(%d) is %v", seed, step, id, !has)
				}
				delete(want, id)
			}
			for range 5 {
				if id := next + 3 - uint32(random.IntN(400)); c.find(id) != want[id] {
					t.Fatalf("seed %d, step %d: find(%d) is %p, want %p", seed, step, id, c.find(id), want[id])
				}
			}
		}
		for id, s := range want {
			if c.find(id) != s {
				t.Fatalf("seed %d: %d is lost", seed, id)
			}
		}
		if c.n != len(want) || 2*c.n > len(c.ids) {
			t.Errorf("seed %d: %d of %d places are taken, want %d", seed, c.n, len(c.ids), len(want))
		}
	}
}

// TestContextsThatStay: requests in a row that stay take no more than some steps from those that come and go meanwhile.
func TestContextsThatStay(t *testing.T) {
	const stay, most = 16_000, 256
	var c contexts
	c.grow()
	for id := uint32(1); id <= stay; id++ {
		c.add(id, &stream{})
	}
	for id := uint32(stay + 1); id < 5*stay; id++ {
		c.add(id, &stream{})
		if at, _ := c.place(id); (at-home(id))&(len(c.ids)-1) > most {
			t.Fatalf("%d is %d places from its own, of %d", id, (at-home(id))&(len(c.ids)-1), len(c.ids))
		}
		if !c.remove(id) {
			t.Fatalf("%d is lost", id)
		}
	}
}
