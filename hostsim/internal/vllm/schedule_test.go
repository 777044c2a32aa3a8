package vllm

import (
	"slices"
	"testing"
)

func TestTailIsEvictedBeforeHead(t *testing.T) {
	e := mustEngine(t, small(4, 64, 4))
	a := tokens(1, 1, 0, 13) // three full blocks and one token
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: a, PromptTokens: 13, MaxTokens: 1})
	drain(t, e)
	hashes := ChainHashes(nil, 0, a, 4)
	var got []int
	for i := range 4 { // each takes one block more: the partial one goes first, then the third, second, first
		got = append(got, e.Cached(hashes))
		e.pool.take(nil, 1)
		_ = i
	}
	got = append(got, e.Cached(hashes))
	if want := []int{3, 3, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("blocks cached as others are taken: %v, want %v", got, want)
	}
}

func TestLeastRecentlyUsedIsEvicted(t *testing.T) {
	e := mustEngine(t, small(9, 64, 4))
	prompts := make([][]uint32, 4)
	for i := range prompts {
		prompts[i] = tokens(uint32(i+1), 1, 0, 9) // two full blocks and one token
	}
	at := int64(0)
	use := func(i int) {
		at += 1e6
		mustSubmit(t, e, at, Request{ID: 1, Tokens: prompts[i], PromptTokens: 9, MaxTokens: 1})
		drain(t, e)
	}
	for _, i := range []int{0, 1, 2, 0, 3} { // the last takes three blocks: the partial ones are free, and first in line
		use(i)
	}
	use(3)
	use(2)
	var got []int
	for _, p := range prompts {
		got = append(got, e.Cached(ChainHashes(nil, 0, p, 4)))
	}
	if want := []int{2, 0, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("blocks cached of each prompt: %v, want %v (prompt 1 was used least recently)", got, want)
	}
}

func TestTwinOutlivesItsFirst(t *testing.T) {
	p := newPool(3)
	held := p.take(nil, 2)
	p.store(held[0], 7)
	p.store(held[1], 7)
	p.release(held[:1])
	p.take(nil, 2) // evicts the first
	if found, _ := p.lookup([]uint64{7}); len(found) != 1 {
		t.Error("the hash is gone while a block still holds it")
	}
	p.release(held[1:])
	p.take(nil, 1)
	if found, _ := p.lookup([]uint64{7}); len(found) != 0 {
		t.Error("the hash is found, and no block holds it")
	}
}

func TestPreemptionFinishesEverything(t *testing.T) {
	e := mustEngine(t, small(8, 64, 4))
	for id := range uint64(2) { // 24 tokens each into 32
		mustSubmit(t, e, 0, Request{ID: id, Tokens: tokens(uint32(id), 1, 0, 24), PromptTokens: 8, MaxTokens: 16})
	}
	// This one waits until both are done: the preempted goes before it, although it waited first.
	mustSubmit(t, e, 1, Request{ID: 2, Tokens: tokens(2, 1, 0, 24), PromptTokens: 23, MaxTokens: 1})
	var order []uint64
	var preempted []uint64
	for {
		at, ok := e.Next()
		if !ok {
			break
		}
		for _, ev := range e.Advance(at) {
			switch ev.Kind {
			case Preempted:
				preempted = append(preempted, ev.Record.ID)
			case Finished:
				order = append(order, ev.Record.ID)
				if want := 16 - 15*int(ev.Record.ID/2); ev.Record.Generated != want {
					t.Errorf("request %d generated %d tokens, want %d", ev.Record.ID, ev.Record.Generated, want)
				}
			}
		}
		check(t, e)
	}
	if want := []uint64{1}; !slices.Equal(preempted, want) {
		t.Errorf("preempted %v, want %v: the one admitted last", preempted, want)
	}
	if want := []uint64{0, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("finished %v, want %v", order, want)
	}
	if st := e.Stats(); st.Preemptions != 1 || st.Queries != 39 || st.UsedBlocks != 0 {
		t.Errorf("stats %+v; want one preemption, its second lookup not counted, no block in use", st)
	}
}

func TestDecodesComeBeforePrefills(t *testing.T) {
	e := mustEngine(t, small(64, 8, 4))
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, 0, 30), PromptTokens: 4, MaxTokens: 20})
	e.Advance(0)
	mustSubmit(t, e, 1, Request{ID: 2, Tokens: tokens(2, 1, 0, 40), PromptTokens: 30, MaxTokens: 1})
	at, _ := e.Next()
	e.Advance(at)
	if sh := e.steps[0].shares; len(sh) != 2 || sh[0].tokens != 1 || sh[1].tokens != 7 {
		t.Fatalf("step of %+v; want one token decoded and a chunk of the other 7 of the budget", sh)
	}
	check(t, e)
}

func TestFirstComeFirstServed(t *testing.T) {
	e := mustEngine(t, small(64, 64, 2))
	for id := range uint64(6) {
		mustSubmit(t, e, int64(id), Request{ID: id, Tokens: tokens(uint32(id), 1, 0, 5), PromptTokens: 4, MaxTokens: 3})
	}
	last := int64(-1)
	for i, r := range drain(t, e) {
		if r.ID != uint64(i) || r.Scheduled < last {
			t.Errorf("finished %d-th: request %d, scheduled at %d after %d", i, r.ID, r.Scheduled, last)
		}
		last = r.Scheduled
	}
}

func TestAdmissionReservesTheWholePrompt(t *testing.T) {
	e := mustEngine(t, small(10, 8, 4))
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, 0, 24), PromptTokens: 20, MaxTokens: 4})
	e.Advance(0)
	// The first chunk took two blocks; 24 more tokens need six of the eight that are left, 36 need nine.
	mustSubmit(t, e, 1, Request{ID: 2, Tokens: tokens(2, 1, 0, 37), PromptTokens: 36, MaxTokens: 1})
	e.Advance(1)
	for range 2 {
		at, _ := e.Next()
		e.Advance(at)
		check(t, e)
		if len(e.running) != 1 {
			t.Fatalf("%d running; want the second to wait until its whole prompt fits", len(e.running))
		}
	}
	if n := len(drain(t, e)); n != 2 {
		t.Errorf("%d finished, want 2", n)
	}
}

func TestAbortFreesAtOnce(t *testing.T) {
	e := mustEngine(t, small(16, 64, 1))
	for id := range uint64(3) {
		mustSubmit(t, e, 0, Request{ID: id, Tokens: tokens(uint32(id), 1, 0, 9), PromptTokens: 8, MaxTokens: 9})
	}
	e.Advance(0)
	if !e.Abort(1, 0) || !e.Abort(1, 1) || e.Abort(1, 1) {
		t.Error("want one running and one waiting request aborted, once each")
	}
	if st := e.Stats(); st.UsedBlocks != 0 || st.Running != 0 || st.Waiting != 1 {
		t.Errorf("after the aborts: %+v; want no block in use and one waiting", st)
	}
	if r := drain(t, e); len(r) != 1 || r[0].ID != 2 {
		t.Errorf("finished %+v, want request 2", r)
	}
}

func TestResetCache(t *testing.T) {
	e := mustEngine(t, small(16, 64, 1))
	prompt := tokens(1, 1, 0, 9)
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: prompt, PromptTokens: 9, MaxTokens: 2})
	e.Advance(0)
	if e.ResetCache() {
		t.Error("reset while a request holds blocks")
	}
	drain(t, e)
	if n := e.Cached(ChainHashes(nil, 0, prompt, 4)); n != 2 {
		t.Fatalf("%d blocks cached, want 2", n)
	}
	if !e.ResetCache() || e.Cached(ChainHashes(nil, 0, prompt, 4)) != 0 {
		t.Error("the cache was not forgotten")
	}
	check(t, e)
}

func TestTokenEvents(t *testing.T) {
	e := mustEngine(t, small(16, 64, 1))
	e.SetTokenEvents(true)
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, 0, 9), PromptTokens: 9, MaxTokens: 3})
	var got []Kind
	for _, ev := range e.Advance(1e9) {
		got = append(got, ev.Kind)
	}
	if want := []Kind{FirstToken, Token, Token, Finished}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	p := small(1<<16, 4096, 64)
	e := mustEngine(t, p)
	for id := range uint64(32) {
		mustSubmit(t, e, 0, Request{ID: id, Tokens: tokens(uint32(id), 1, 0, 100), PromptTokens: 100, MaxTokens: 5000})
	}
	e.Advance(1e6)
	got := testing.AllocsPerRun(1000, func() {
		at, _ := e.Next()
		e.Advance(at)
	})
	if got != 0 {
		t.Errorf("%v allocations a step, want none", got)
	}
}

// BenchmarkEngine gives the cost of one request of 2,000 prompt tokens, half of them shared, and 300 answer
// tokens, on a busy replica.
func BenchmarkEngine(b *testing.B) {
	p, err := LoadProfile("h100-8b")
	if err != nil {
		b.Fatal(err)
	}
	e := mustEngine(b, p)
	now := int64(0)
	b.ReportAllocs()
	hashes := make([]uint64, 2300/16)
	for id := range uint64(b.N) {
		for i := range hashes {
			hashes[i] = uint64(i) + id<<20
			if i < len(hashes)/2 {
				hashes[i] = uint64(i) + id%50<<40
			}
		}
		mustSubmit(b, e, now, Request{ID: id, Hashes: slices.Clone(hashes), PromptTokens: 2000, MaxTokens: 300})
		now += 100e6
		e.Advance(now)
	}
	b.ReportMetric(float64(e.Stats().Steps)/float64(b.N), "steps/op")
}
