package prefix

import "testing"

// An index that was full of prompts that one endpoint each holds finds all pairs of prompts that many hold later.
func TestFullOfSingleThenShared(t *testing.T) {
	const endpoints, budget = 64, 1 << 27 // a smaller memory fills before lists are longer than what is looked at
	x := NewIndex(endpoints, budget, 12345)
	prompt := func(id uint64) *Chain {
		var c Chain
		for b := range uint64(8) {
			c.Hash = append(c.Hash, link(link(id, 7), b))
			c.End = append(c.End, uint32(512*(b+1)))
		}
		return &c
	}
	id := uint64(0)
	for range budget / 100 {
		id++
		x.Insert(int(id)%endpoints, prompt(id), uint32(id))
	}
	for range budget / 60 / endpoints {
		id++
		for e := range endpoints {
			x.Insert(e, prompt(id), uint32(id))
		}
	}
	for e := range endpoints {
		sum, lost := int64(0), 0
		for p := x.lists[e].idle.oldest; p != 0; p = x.pairs.at(p).newer {
			sum += x.runs.at(x.pairs.at(p).run).bytes()
			if x.findPair(x.pairs.at(p).run, e) != p {
				lost++
			}
		}
		if lost > 0 || sum != x.held[e] {
			t.Errorf("endpoint %d: %d pairs not found; holds %d bytes by its list, %d by its count", e, lost, sum, x.held[e])
		}
	}
	depth := make([]int32, endpoints)
	x.Match(prompt(id).Hash, depth)
	if depth[0] != 8 || depth[endpoints-1] != 8 {
		t.Errorf("the last prompt's depths: %v, want 8 everywhere", depth)
	}
}
