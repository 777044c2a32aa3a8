package pool

import (
	"math"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
)

// tell lets endpoints say the sizes of their memories; 0: one does not.
func tell(p *Pool, sizes ...float64) {
	for i, size := range sizes {
		l := &exposition.Load{Has: exposition.HasRunning, KVTokens: size}
		if size > 0 {
			l.Has |= exposition.HasKVTokens
		}
		p.ApplyMetrics(i, second, l)
	}
}

func TestSizes(t *testing.T) {
	for name, c := range map[string]struct {
		sizes, memory, places []float64
	}{
		"none tells":          {[]float64{0, 0, 0}, []float64{1, 1, 1}, nil},
		"alike":               {[]float64{100_000, 104_000, 0}, []float64{1, 1, 1}, nil},
		"one has a quarter":   {[]float64{1 << 18, 1 << 16, 1 << 18}, []float64{4. / 3, 1. / 3, 4. / 3}, []float64{1, 1. / 8, 1}},
		"one does not tell":   {[]float64{1 << 18, 0, 1 << 16}, []float64{1.6, 1, 0.4}, []float64{1, math.Pow(.625, 1.5), 1. / 8}},
		"no powers of two":    {[]float64{200_000, 150_000, 150_000}, []float64{1.2, .9, .9}, []float64{math.Pow(200./262.144, 1.5), math.Pow(150./262.144, 1.5), math.Pow(150./262.144, 1.5)}},
		"one tells, alone":    {[]float64{0, 100_000, 0}, []float64{1, 1, 1}, nil},
		"far apart":           {[]float64{1 << 30, 16, 1 << 30}, []float64{1.5, 0, 1.5}, []float64{1, 1. / 16, 1}},
		"one claims too much": {[]float64{1 << 17, 1 << 17, 1e300}, []float64{1. / 6, 1. / 6, 16. / 6}, []float64{1. / 16, 1. / 16, 1}},
		"so it does, of two":  {[]float64{1 << 17, 1e300, 0}, []float64{2. / 17, 32. / 17, 1}, []float64{1. / 16, 1, math.Pow(17./32, 1.5)}},
		"less than one token": {[]float64{0.5, 0.25, 0}, []float64{1, 1, 1}, nil},
	} {
		p := newPool(3)
		tell(p, c.sizes...)
		all, least := p.Look(second), math.Inf(1)
		for i, want := range c.memory {
			if got := all[i].Memory; math.Abs(got-want) > 1e-6 || all[i].Share != all[i].Capacity*got {
				t.Errorf("%s: endpoint %d has %v of the mean memory and a share of %v, want %v", name, i, got, all[i].Share, want)
			}
			least = min(least, all[i].Memory)
		}
		if got := p.LeastMemory(); math.Abs(got-least) > 1e-6 {
			t.Errorf("%s: the least memory is %v, want %v", name, got, least)
		}
		places := p.Places()
		if len(places) != len(c.places) {
			t.Fatalf("%s: places %v, want %v", name, places, c.places)
		}
		for i, want := range c.places {
			if math.Abs(float64(places[i])-want) > 1e-6 {
				t.Errorf("%s: places %v, want %v", name, places, c.places)
			}
		}
	}
}

// Memories are compared again when one says another size, leaves or joins.
func TestSizesChange(t *testing.T) {
	p := newPool(3)
	tell(p, 400_000, 100_000, 400_000)
	p.Look(second)
	q := newPool(3)
	q.CopyLearned(p, second)
	if all := q.Look(second); all[1].Memory != p.Look(second)[1].Memory || q.Places() == nil {
		t.Errorf("a copy of the pool takes memories for %v", all[1].Memory)
	}
	p.Remove(1)
	if all := p.Look(second); p.Places() != nil || all[0].Memory != 1 {
		t.Errorf("the one with less has left: places %v, memory %v", p.Places(), all[0].Memory)
	}
	p.Place(1, config.Endpoint{Address: "10.9.9.9:8000"}, second)
	if all := p.Look(second); p.Places() != nil || all[1].Memory != 1 {
		t.Errorf("another has its index, and has not told: places %v, memory %v", p.Places(), all[1].Memory)
	}
	tell(p, 400_000, 100_000, 400_000)
	if p.Look(second); p.Places() == nil {
		t.Error("it has told, and all count as equal")
	}
	tell(p, 400_000, 400_000, 400_000)
	if p.Look(second); p.Places() != nil {
		t.Errorf("it has started again with as much as the others, and places are %v", p.Places())
	}
}

// Room for more endpoints may be made before any of them is there.
func TestSizesOfReservedEndpoints(t *testing.T) {
	p := newPool(2)
	tell(p, 400_000, 100_000)
	p.Look(second)
	p.Reserve(5)
	if all := p.Look(second); len(all) != 5 || len(p.Places()) != 5 || all[1].Memory > 0.5 {
		t.Errorf("%d summaries, places %v", len(all), p.Places())
	}
}

// A copy of the pool knows what this one does, though nobody has asked for it since a page told another size, or one has joined the copy.
func TestSizesOfACopy(t *testing.T) {
	p, q := newPool(3), newPool(3)
	tell(p, 400_000, 400_000, 400_000)
	p.Look(second)
	tell(p, 400_000, 100_000, 400_000)
	for range 2 {
		q.CopyLearned(p, second)
		if all := q.Look(second); len(q.Places()) != 3 || all[1].Memory > 0.5 {
			t.Errorf("the copy takes memories for %v, places %v", all[1].Memory, q.Places())
		}
		q.Remove(2)
		q.Place(2, config.Endpoint{Address: "10.9.9.9:8000"}, second)
	}
}

// Of a page that ended early, which may lack engines, a size that is known stays.
func TestSizesOfTruncatedPages(t *testing.T) {
	p := newPool(2)
	tell(p, 400_000, 100_000)
	p.ApplyMetrics(0, second, &exposition.Load{Has: exposition.HasRunning | exposition.HasKVTokens, KVTokens: 100_000, Truncated: true})
	if p.Look(second); p.Places() == nil {
		t.Error("half of a page made memories alike")
	}
}
