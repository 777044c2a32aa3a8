package contexts

import (
	"math/rand/v2"
	"testing"
)

// request is what the tables of these tests have.
type request struct{ _ int }

// TestContexts: a table finds what a map finds, whatever the order in which requests come and go.
func TestContexts(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var c Table[request]
		c.Grow()
		want := map[uint32]*request{}
		next := uint32(1)
		open := 1 + random.IntN(300)
		for step := range 5000 {
			switch {
			case len(want) < open && random.IntN(3) > 0:
				next += 1 + uint32(random.IntN(2)*random.IntN(200)) // others' contexts have IDs too
				s := &request{}
				c.Add(next, s)
				want[next] = s
			default:
				id := next - uint32(random.IntN(400))
				if _, has := want[id]; c.Remove(id) != has {
					t.Fatalf("seed %d, step %d: Remove(%d) is %v", seed, step, id, !has)
				}
				delete(want, id)
			}
			for range 5 {
				if id := next + 3 - uint32(random.IntN(400)); c.Find(id) != want[id] {
					t.Fatalf("seed %d, step %d: Find(%d) is %p, want %p", seed, step, id, c.Find(id), want[id])
				}
			}
		}
		for id, s := range want {
			if c.Find(id) != s {
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
	var c Table[request]
	c.Grow()
	for id := uint32(1); id <= stay; id++ {
		c.Add(id, &request{})
	}
	for id := uint32(stay + 1); id < 5*stay; id++ {
		c.Add(id, &request{})
		if at, _ := c.place(id); (at-home(id))&(len(c.ids)-1) > most {
			t.Fatalf("%d is %d places from its own, of %d", id, (at-home(id))&(len(c.ids)-1), len(c.ids))
		}
		if !c.Remove(id) {
			t.Fatalf("%d is lost", id)
		}
	}
}
