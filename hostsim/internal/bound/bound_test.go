package bound

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"warmroute/hostsim/internal/trace"
)

func TestByHand(t *testing.T) {
	// Blocks of 10 tokens. A B C; A B D; A E; A B C.
	tr := &trace.Trace{BlockSize: 10, IDs: 5, Sessions: 4, Requests: []trace.Request{
		{Blocks: trace.Blocks{{First: 0, N: 3}}, InputTokens: 30},
		{Blocks: trace.Blocks{{First: 0, N: 2}, {First: 3, N: 1}}, InputTokens: 25},
		{Blocks: trace.Blocks{{First: 0, N: 1}, {First: 4, N: 1}}, InputTokens: 20},
		{Blocks: trace.Blocks{{First: 0, N: 3}}, InputTokens: 30},
	}}
	if got, err := Infinite(tr); err != nil || got != 60.0/105 { // 0 + 20 + 10 + 30
		t.Errorf("infinite %v, %v; want 60 of 105", got, err)
	}
	for _, c := range []struct{ tokens, hits int }{
		{30, 60}, {1000, 60},
		{20, 50},           // C goes
		{10, 30},           // A alone
		{15, 15 + 10 + 15}, // and half of B
		{1, 3},
	} {
		if got, err := Pooled(tr, c.tokens); err != nil || math.Abs(got-float64(c.hits)/105) > 1e-12 {
			t.Errorf("room for %d tokens: %v of 105, %v; want %d", c.tokens, got*105, err, c.hits)
		}
	}
	if _, err := Pooled(tr, 0); err == nil {
		t.Error("no room at all was taken")
	}
	if _, err := Infinite(&trace.Trace{}); err == nil {
		t.Error("a trace without block ids was taken")
	}
}

// A conversation that comes twice, as one that is asked again or a template does: its answers are generated both times, and are found by
// the prompts after them alone.
func TestAnswersThatRepeat(t *testing.T) {
	// Blocks of 10 tokens: prompt A, answer B; prompt A B C, answer D; prompt A B C D E.
	tr := &trace.Trace{BlockSize: 10, IDs: 5, Sessions: 2, Answers: true}
	for range 2 {
		n := len(tr.Requests)
		tr.Requests = append(tr.Requests,
			trace.Request{Blocks: trace.Blocks{{First: 0, N: 1}}, InputTokens: 10, OutputTokens: 10, After: -1},
			trace.Request{Blocks: trace.Blocks{{First: 0, N: 3}}, InputTokens: 30, OutputTokens: 10, After: n},
			trace.Request{Blocks: trace.Blocks{{First: 0, N: 5}}, InputTokens: 50, OutputTokens: 10, After: n + 1})
	}
	const want = float64(20+40+10+30+50) / 180
	if got, err := Infinite(tr); err != nil || got != want {
		t.Errorf("infinite: %v of 180, %v; want %v", got*180, err, want*180)
	}
	if got, err := Pooled(tr, 1000); err != nil || got != want {
		t.Errorf("pooled: %v of 180, %v; want %v", got*180, err, want*180)
	}
	if got, err := PooledLRU(tr, 1000); err != nil || got != want {
		t.Errorf("pooled, LRU: %v of 180, %v; want %v", got*180, err, want*180)
	}
	if got, err := Pooled(tr, 40); err != nil || got > want || got < want/2 {
		t.Errorf("pooled in 40 tokens: %v of 180, %v", got*180, err)
	}
}

// random makes conversations that branch and come back, in blocks of 4 tokens.
func random(seed uint64) *trace.Trace {
	rng := rand.New(rand.NewPCG(seed, 9))
	tr := &trace.Trace{BlockSize: 4}
	var prompts [][]uint32
	for range 60 {
		var ids []uint32
		if len(prompts) > 0 && rng.IntN(4) > 0 {
			from := prompts[rng.IntN(len(prompts))]
			ids = slices.Clone(from[:rng.IntN(len(from)+1)])
		}
		for range 1 + rng.IntN(4) {
			ids = append(ids, uint32(tr.IDs))
			tr.IDs++
		}
		prompts = append(prompts, ids)
		var b trace.Blocks
		for _, id := range ids {
			b = append(b, trace.Span{First: id, N: 1})
		}
		tr.Requests = append(tr.Requests, trace.Request{Blocks: b, InputTokens: 4 * len(ids)})
	}
	return tr
}

// naive is MIN on single blocks, with a search for each eviction.
func naive(tr *trace.Trace, blocks int) float64 {
	cached := map[uint32]bool{}
	hits, total := 0, 0
	next := func(id uint32, after int) int {
		for i := after + 1; i < len(tr.Requests); i++ {
			if slices.Contains(tr.Requests[i].Blocks.Append(nil), id) {
				return i
			}
		}
		return math.MaxInt
	}
	for i, r := range tr.Requests {
		for _, id := range r.Blocks.Append(nil) {
			total++
			if cached[id] {
				hits++
			}
			cached[id] = true
		}
		for len(cached) > blocks {
			worst, at := uint32(0), -1
			for id := range cached {
				if n := next(id, i); n > at {
					worst, at = id, n
				}
			}
			delete(cached, worst)
		}
	}
	return float64(hits) / float64(total)
}

func TestPooledIsBelady(t *testing.T) {
	for seed := range uint64(30) {
		tr := random(seed)
		infinite, err := Infinite(tr)
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for _, blocks := range []int{1, 3, 8, 20, 1000} {
			got, err := Pooled(tr, 4*blocks)
			if want := naive(tr, blocks); err != nil || math.Abs(got-want) > 1e-12 {
				t.Errorf("seed %d, %d blocks: %v, %v; single blocks give %v", seed, blocks, got, err, want)
			}
			if got < last || got > infinite {
				t.Errorf("seed %d, %d blocks: %v; less room gives %v, no end %v", seed, blocks, got, last, infinite)
			}
			last = got
		}
		if last != infinite {
			t.Errorf("seed %d: %v with room for all, want %v", seed, last, infinite)
		}
	}
}

// naiveLRU keeps single blocks in a list, the least recently used first and of a prompt the last first.
func naiveLRU(tr *trace.Trace, blocks int) float64 {
	var order []uint32
	hits, total := 0, 0
	for _, r := range tr.Requests {
		ids := r.Blocks.Append(nil)
		total += len(ids)
		hit := 0
		for hit < len(ids) && slices.Contains(order, ids[hit]) {
			hit++
		}
		hits += hit
		ids = ids[:min(len(ids), blocks)]
		for _, id := range slices.Backward(ids) {
			if i := slices.Index(order, id); i >= 0 {
				order = slices.Delete(order, i, i+1)
			}
			order = append(order, id)
		}
		order = order[max(0, len(order)-blocks):]
	}
	return float64(hits) / float64(total)
}

func TestPooledLRUIsLRU(t *testing.T) {
	for seed := range uint64(30) {
		tr := random(seed)
		for _, blocks := range []int{1, 3, 8, 20, 1000} {
			got, err := PooledLRU(tr, 4*blocks)
			if want := naiveLRU(tr, blocks); err != nil || math.Abs(got-want) > 1e-12 {
				t.Errorf("seed %d, %d blocks: %v, %v; single blocks give %v", seed, blocks, got, err, want)
			}
			if best, _ := Pooled(tr, 4*blocks); got > best {
				t.Errorf("seed %d, %d blocks: %v, above the bound %v", seed, blocks, got, best)
			}
		}
	}
}

func TestOwnTraces(t *testing.T) {
	for _, c := range []struct {
		file     string
		infinite float64
	}{
		{"mooncake.jsonl", float64(512+1024+1536+1324) / 8760},
		{"sessions.jsonl", float64(3*64+5*64+5*64+4*64+8*64) / 3190},
		{"azure.csv", 0},
	} {
		tr, err := trace.Open(filepath.Join("..", "..", "..", "testdata", "traces", c.file), trace.Options{SessionRate: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Infinite(tr); err != nil || math.Abs(got-c.infinite) > 1e-12 {
			t.Errorf("%s: infinite %v, %v; want %v", c.file, got, err, c.infinite)
		}
	}
}
