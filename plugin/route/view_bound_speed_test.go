package route

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/pool"
)

// Fast endpoints may have more requests than slow ones, by the root of their speeds, and those with more memory than others, by the root of that; where
// memory is short, by memory alone; nor has one far more that only seems fast. Of 100 requests at endpoints that are all below their bounds, there is always room for one more.
func TestBoundsGoBySpeed(t *testing.T) {
	b, like := config.Bound{LoadFactor: 1.25}, []float64{100_000, 100_000, 100_000, 100_000}
	for name, c := range map[string]struct {
		slower, memory []float64
		live, room     float64
		want           []float64
	}{
		"equal":                          {[]float64{1, 1, 1, 1}, like, 0, 0, []float64{32, 32, 32, 32}},
		"two are four times as slow":     {[]float64{.4, .4, 1.6, 1.6}, like, 0, 0, []float64{43, 43, 22, 22}},
		"and half of memory is live":     {[]float64{.4, .4, 1.6, 1.6}, like, 50, 100, []float64{43, 43, 22, 22}},
		"and memory is short":            {[]float64{.4, .4, 1.6, 1.6}, like, 95, 100, []float64{32, 32, 32, 32}},
		"one seems 1,000 times as fast":  {[]float64{.001, 1.333, 1.333, 1.333}, like, 0, 0, []float64{55, 24, 24, 24}},
		"two have a quarter of memory":   {[]float64{1, 1, 1, 1}, []float64{4e5, 4e5, 1e5, 1e5}, 0, 0, []float64{43, 43, 22, 22}},
		"it is short":                    {[]float64{1, 1, 1, 1}, []float64{4e5, 4e5, 1e5, 1e5}, 95, 100, []float64{51, 51, 13, 13}},
		"these are four times as slow":   {[]float64{.4, .4, 1.6, 1.6}, []float64{4e5, 4e5, 1e5, 1e5}, 0, 0, []float64{51, 51, 13, 13}},
		"these are four times as fast":   {[]float64{1.6, 1.6, .4, .4}, []float64{4e5, 4e5, 1e5, 1e5}, 0, 0, []float64{32, 32, 32, 32}},
		"so are they, and it is short":   {[]float64{1.6, 1.6, .4, .4}, []float64{4e5, 4e5, 1e5, 1e5}, 95, 100, []float64{51, 51, 13, 13}},
		"one does not tell what it has":  {[]float64{1, 1, 1, 1}, []float64{4e5, 1e5, 0, 0}, 95, 100, []float64{51, 13, 32, 32}},
		"one differs by less than noise": {[]float64{1, 1, 1, 1}, []float64{4e5, 3.9e5, 4e5, 4e5}, 95, 100, []float64{32, 32, 32, 32}},
	} {
		r := routerOf(config.PolicyCacheAware, len(c.slower))
		v := &r.view
		for i, tokens := range c.memory {
			if tokens > 0 {
				r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: tokens})
			}
		}
		told := r.Look(1)
		v.places = r.Places()
		v.grow()
		told = slices.Clone(told)
		v.all, v.best, v.shares = make([]pool.Summary, len(c.slower)), well, share{live: c.live, room: c.room}
		for i, slower := range c.slower {
			v.class[i] = well
			v.all[i] = pool.Summary{Class: pool.Well, Weight: 1, Slower: slower, Capacity: 1 / slower, Memory: told[i].Memory, Requests: 25, Counted: 25}
			v.shares.add(&v.all[i], 1)
		}
		v.shares.live, v.shares.room = c.live, c.room
		v.relieveBySpeed(b)
		room := false
		for i, want := range c.want {
			if got := v.most(i, b); got != want {
				t.Errorf("%s: endpoint %d may have %v requests, want %v", name, i, got, want)
			}
			room = room || v.class[i] == well
			if at := v.class[i] == over; at != (want <= 25) {
				t.Errorf("%s: endpoint %d is at its bound: %v", name, i, at)
			}
		}
		if !room {
			t.Errorf("%s: no endpoint is below its bound", name)
		}
	}
}

// Whoever is above its bound is found, whatever the speeds and the memories: that all are below any bound is not said too soon.
func TestNoBoundIsPassedOver(t *testing.T) {
	b, random := config.Bound{LoadFactor: 1.25, LoadMargin: 4}, rand.New(rand.NewPCG(1, 2))
	over := 0
	for k := range 3000 {
		n := 2 + random.IntN(12)
		r := routerOf(config.PolicyCacheAware, n)
		for i := range n {
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: []float64{1e5, 4e5}[k%2*random.IntN(2)]})
		}
		all := slices.Clone(r.Look(1))
		for i := range all {
			t := &all[i]
			t.Slower, t.Requests = []float64{1, 1, 1, 1, 1.5, 3, 8, 30}[random.IntN(8)], float64(random.IntN(10))
			t.Capacity, t.Counted = 1/t.Slower, t.Requests
		}
		v := &r.view
		v.places = r.Places()
		prepare := func() {
			v.grow()
			v.all, v.best, v.shares, v.pace, v.tight = all, well, share{}, 0, false
			for i := range all {
				v.class[i] = well
				v.shares.add(&all[i], 1)
			}
		}
		prepare()
		v.relieveBySpeed(b)
		got := slices.Clone(v.class[:n])
		if prepare(); v.shares.capacity == v.shares.weight && v.places == nil {
			continue // bounds are equal
		}
		v.pace, v.shares.parts = v.slower(), 0
		for i := range all {
			v.shares.parts += v.part(&all[i])
		}
		for i := range all {
			want := well
			if all[i].Requests >= v.most(i, b) {
				want, over = 1, over+1
			}
			if got[i] != want {
				t.Fatalf("pool %d: endpoint %d of %+v is of class %d, want %d", k, i, all, got[i], want)
			}
		}
	}
	if over < 100 {
		t.Errorf("%d endpoints were above their bound: the test says nothing", over)
	}
}
