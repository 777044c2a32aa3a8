package prefix

import (
	"testing"
	"time"
)

// An index that was full of prompts that one endpoint each holds finds all pairs of prompts that many hold later.
func TestFullOfSingleThenShared(t *testing.T) {
	for _, c := range []struct{ n, budget int }{{64, 1 << 27}} {
		x := NewIndex(c.n, c.budget, 12345)
		chain := func(i uint64) *Chain {
			var ch Chain
			for b := range uint64(8) {
				ch.Hash = append(ch.Hash, link(link(i, 7), b))
				ch.End = append(ch.End, uint32(512*(b+1)))
			}
			return &ch
		}
		id := uint64(0)
		for range c.budget / 100 {
			id++
			x.Insert(int(id)%c.n, chain(id), uint32(id))
		}
		first := x.byRun.buckets
		var last uint64
		began := time.Now()
		for range c.budget / 60 / c.n {
			id++
			ch := chain(id)
			for e := range c.n {
				x.Insert(e, ch, uint32(id))
			}
			last = id
		}
		most := 0
		for b := range x.byRun.buckets {
			k := 0
			for p := *x.byRun.heads.at(b); p != 0; p = x.pairs.at(p).next {
				k++
			}
			most = max(most, k)
		}
		sum := make([]int64, c.n)
		bad := 0
		for e := range c.n {
			for p := x.lists[e].oldest; p != 0; p = x.pairs.at(p).newer {
				sum[e] += x.runs.at(x.pairs.at(p).run).bytes()
				if x.findPair(x.pairs.at(p).run, e) != p {
					bad++
				}
			}
			if sum[e] != x.held[e] {
				bad += 1000000
			}
		}
		depth := make([]int32, c.n)
		x.Match(chain(last).Hash, depth)
		t.Logf("%v each; n=%d budget=%d: buckets then %d, now %d, byRunRecords %d, longest list %d, pairs not found %d, pairs made %d runs %d, depth %v", time.Since(began)/time.Duration(c.budget/60/c.n*c.n), c.n, c.budget, first, x.byRun.buckets, x.byRunRecords, most, bad, x.pairs.made, x.runs.made, depth[:2])
		if bad > 0 {
			t.Errorf("pairs not found: %d", bad)
		}
	}
}
