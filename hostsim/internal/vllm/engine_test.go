package vllm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a replica with room for so many blocks of 4 tokens, whose times are easy to add up.
func small(blocks, budget, seqs int) Profile {
	return Profile{
		Name: "small", StepOverhead: 1000, Admit: 100, PrefillPerToken: 10, AttentionPerPair: 1, DecodePerSeq: 5, DecodePerKVToken: 1,
		BlockSize: 4, KVBlocks: blocks, MaxNumBatchedTokens: budget, MaxNumSeqs: seqs, MaxModelLen: 4 * blocks,
	}
}

func mustEngine(t testing.TB, p Profile) *Engine {
	t.Helper()
	e, err := NewEngine(p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// tokens makes n tokens, the first of which are common to all with the same prefix number.
func tokens(prefix, own uint32, common, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = prefix<<16 + uint32(i)
		if i >= common {
			out[i] = 1<<31 + own<<20 + prefix<<16 + uint32(i)
		}
	}
	return out
}

func mustSubmit(t testing.TB, e *Engine, now int64, r Request) {
	t.Helper()
	if err := e.Submit(now, r); err != nil {
		t.Fatal(err)
	}
}

// drain runs the replica until it is idle, checks it at each step, and returns the finished records in order.
func drain(t testing.TB, e *Engine) []Record {
	t.Helper()
	var done []Record
	for {
		at, ok := e.Next()
		if !ok {
			return done
		}
		for _, ev := range e.Advance(at) {
			if ev.Kind == Finished {
				done = append(done, *ev.Record)
			}
		}
		check(t, e)
	}
}

// check fails the test unless blocks, references, free list and table agree, and the step keeps its bounds.
func check(t testing.TB, e *Engine) {
	t.Helper()
	refs := make([]int32, len(e.pool.blocks))
	for i := range e.pipeline {
		scheduled := 0
		for _, sh := range e.steps[i].shares {
			scheduled += sh.tokens
		}
		if scheduled > e.profile.MaxNumBatchedTokens {
			t.Fatalf("step of %d tokens, budget %d", scheduled, e.profile.MaxNumBatchedTokens)
		}
	}
	for _, s := range e.running {
		for _, b := range s.blocks {
			refs[b]++
		}
	}
	if len(e.running) > e.profile.MaxNumSeqs {
		t.Fatalf("%d running, at most %d", len(e.running), e.profile.MaxNumSeqs)
	}
	free, cached := 0, 0
	for i, b := range e.pool.blocks {
		if b.refs != refs[i] {
			t.Fatalf("block %d has %d references, held by %d", i, b.refs, refs[i])
		}
		if b.refs == 0 {
			free++
		}
		if b.cached {
			cached++
		}
	}
	listed := len(e.pool.blocks) - e.pool.fresh
	for i := e.pool.head; i != none; i = e.pool.blocks[i].next {
		if e.pool.blocks[i].refs != 0 {
			t.Fatalf("block %d is in use and on the free list", i)
		}
		listed++
	}
	if free != e.pool.free || listed != free {
		t.Fatalf("%d blocks unused, %d counted free, %d on the list", free, e.pool.free, listed)
	}
	reachable := 0
	for at, s := range e.pool.table.slots {
		if s.block == 0 {
			continue
		}
		hash := e.pool.blocks[s.block-1].hash
		if found, ok := e.pool.table.find(e.pool.blocks, hash); !ok || found != at {
			t.Fatalf("hash %x is in slot %d, and found in %d (%v)", hash, at, found, ok)
		}
		for i := s.block - 1; i != none; i = e.pool.blocks[i].twin {
			if b := e.pool.blocks[i]; !b.cached || b.hash != hash {
				t.Fatalf("table leads to block %d, which does not hold that hash", i)
			}
			reachable++
		}
	}
	if reachable != cached {
		t.Fatalf("%d blocks cached, %d reachable", cached, reachable)
	}
	if st := e.Stats(); st.UsedBlocks < 0 || st.UsedBlocks > st.Blocks {
		t.Fatalf("%d of %d blocks used", st.UsedBlocks, st.Blocks)
	}
}

func TestFirstTokenIsTheClosedForm(t *testing.T) {
	outside := small(64, 32, 4)
	outside.Launch, outside.Frontend, outside.FrontendPerToken = 5000, 300, 7
	profiles := []Profile{small(64, 32, 4), outside}
	for _, name := range Profiles() {
		p, err := LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	for _, p := range profiles {
		for _, blocks := range []int{0, 1, 3, 10} {
			common := blocks * p.BlockSize
			for _, more := range []int{1, p.BlockSize, 5*p.BlockSize - 1} {
				e := mustEngine(t, p)
				prompt := common + more
				if common > 0 {
					mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, common, common+1), PromptTokens: common + 1, MaxTokens: 1})
					drain(t, e)
				}
				const at = 1e12
				mustSubmit(t, e, at, Request{ID: 2, Tokens: tokens(1, 2, common, prompt), PromptTokens: prompt, MaxTokens: 1})
				r := drain(t, e)[0]
				if r.CachedTokens != common || r.ComputedTokens != more {
					t.Errorf("%s: cached %d computed %d, want %d and %d", p.Name, r.CachedTokens, r.ComputedTokens, common, more)
				}
				if got, want := r.First-r.Queued, p.PrefillTime(common, prompt); got != want {
					t.Errorf("%s: %d of %d tokens cached: first token after %d ns, want %d", p.Name, common, prompt, got, want)
				}
			}
		}
	}
}

func TestStepTimes(t *testing.T) {
	e := mustEngine(t, small(64, 8, 4))
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, 0, 10), PromptTokens: 10, MaxTokens: 3})
	r := drain(t, e)[0]
	first := int64(1000 + 100 + 8*10 + 8*8/2)     // a chunk of the whole budget
	second := int64(1000 + 2*10 + 2*8 + 2*2/2)    // the other two tokens, upon a context of 8
	decodes := int64(1000+5+11) + (1000 + 5 + 12) // contexts of 11 and 12
	want := Record{ID: 1, Queued: 0, Scheduled: 0, First: first + second, Final: first + second + decodes,
		PromptTokens: 10, Generated: 3, ComputedTokens: 12}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	e.SetSlowdown(3)
	mustSubmit(t, e, 1e6, Request{ID: 2, Tokens: tokens(2, 1, 0, 8), PromptTokens: 8, MaxTokens: 1})
	if r := drain(t, e)[0]; r.First-r.Queued != 3*first {
		t.Errorf("slowed down 3 times: first token after %d ns, want %d", r.First-r.Queued, 3*first)
	}
}

func TestWholePromptIsNeverCached(t *testing.T) {
	e := mustEngine(t, small(64, 64, 4))
	// Three full blocks, of which the last is computed again.
	var got []int
	for id := range uint64(3) {
		mustSubmit(t, e, int64(id)*1e6, Request{ID: id, Tokens: tokens(1, 1, 0, 12), PromptTokens: 12, MaxTokens: 1})
		got = append(got, drain(t, e)[0].CachedTokens)
	}
	if want := []int{0, 8, 8}; !slices.Equal(got, want) {
		t.Errorf("cached %v, want %v", got, want)
	}
}

func TestLongerCachedPrefixIsNeverSlower(t *testing.T) {
	for _, budget := range []int{7, 16, 64, 1000} {
		last := int64(-1)
		for blocks := 24; blocks >= 0; blocks-- {
			e := mustEngine(t, small(64, budget, 4))
			common := 4 * blocks
			mustSubmit(t, e, 0, Request{ID: 1, Tokens: tokens(1, 1, common, common+1), PromptTokens: common + 1, MaxTokens: 1})
			drain(t, e)
			mustSubmit(t, e, 1e9, Request{ID: 2, Tokens: tokens(1, 2, common, 100), PromptTokens: 100, MaxTokens: 1})
			r := drain(t, e)[0]
			if r.CachedTokens != min(common, 96) {
				t.Fatalf("cached %d tokens, want %d", r.CachedTokens, common)
			}
			if took := r.First - r.Queued; took < last {
				t.Errorf("budget %d: %d blocks cached take %d ns, one more %d", budget, blocks, took, last)
			} else {
				last = took
			}
		}
	}
}

func TestAnswersAreCached(t *testing.T) {
	e := mustEngine(t, small(64, 64, 4))
	turn := tokens(1, 1, 0, 32)
	mustSubmit(t, e, 0, Request{ID: 1, Tokens: turn[:20], PromptTokens: 10, MaxTokens: 10})
	drain(t, e)
	mustSubmit(t, e, 1e6, Request{ID: 2, Tokens: turn, PromptTokens: 32, MaxTokens: 1})
	// The tenth answer token was never computed, so 19 tokens are there: four full blocks.
	if got, want := drain(t, e)[0].CachedTokens, 16; got != want {
		t.Errorf("cached %d tokens, want %d", got, want)
	}
}

func TestSameStepShares(t *testing.T) {
	e := mustEngine(t, small(64, 64, 4))
	for id := range uint64(2) {
		mustSubmit(t, e, 0, Request{ID: id, Tokens: tokens(1, uint32(id), 16, 20), PromptTokens: 20, MaxTokens: 1})
	}
	r := drain(t, e)
	if r[0].CachedTokens != 0 || r[1].CachedTokens != 16 || r[0].First != r[1].First {
		t.Errorf("got %+v; want the second to share 16 tokens of the first, in one step", r)
	}
	want := Stats{Blocks: 64, BlockSize: 4, Queries: 40, Hits: 16, PromptTokens: 40, PrefillComputed: 24, GeneratedTokens: 2, Finished: 2, Steps: 1, Busy: r[0].First}
	if diff := cmp.Diff(want, e.Stats()); diff != "" {
		t.Errorf("stats: want -, got +:\n%s", diff)
	}
}

func TestSeedsIsolate(t *testing.T) {
	e := mustEngine(t, small(64, 64, 4))
	seeds := []uint64{CacheSeed("m", ""), CacheSeed("m", "salt"), CacheSeed("ms", "alt"), CacheSeed("m", "salt")}
	var got []int
	for i, seed := range seeds {
		mustSubmit(t, e, int64(i)*1e6, Request{ID: 1, Tokens: tokens(1, 1, 0, 20), Seed: seed, PromptTokens: 20, MaxTokens: 1})
		got = append(got, drain(t, e)[0].CachedTokens)
	}
	if want := []int{0, 0, 0, 16}; !slices.Equal(got, want) {
		t.Errorf("cached %v, want %v", got, want)
	}
}

func TestSubmitErrors(t *testing.T) {
	e := mustEngine(t, small(4, 64, 4))
	if err := e.Submit(0, Request{ID: 1, PromptTokens: 16, MaxTokens: 1}); !errors.Is(err, ErrTooLong) {
		t.Errorf("17 tokens into 16: got %v, want ErrTooLong", err)
	}
	for _, r := range []Request{{PromptTokens: 0, MaxTokens: 1}, {PromptTokens: 1, MaxTokens: 0}} {
		if e.Submit(0, r) == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	mustSubmit(t, e, 0, Request{ID: 1, PromptTokens: 1, MaxTokens: 1})
	if e.Submit(0, Request{ID: 1, PromptTokens: 1, MaxTokens: 1}) == nil {
		t.Error("an ID in use was taken")
	}
}

// soak runs many requests with shared prefixes, bursts and aborts through a replica that is too small for them.
func soak(t testing.TB, seed uint64, aborts bool) (finished []Record, st Stats) {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := small(40, 24, 6)
	p.AsyncScheduling = int(seed / 2 % 2)
	e := mustEngine(t, p)
	now := int64(0)
	started, dropped := 0, 0
	for id := range uint64(400) {
		prompt, limit := 1+rng.IntN(60), 1+rng.IntN(60)
		all := tokens(uint32(rng.IntN(4)), uint32(id), rng.IntN(prompt+1), prompt+limit)
		mustSubmit(t, e, now, Request{ID: id, Tokens: all, PromptTokens: prompt, MaxTokens: limit})
		started++
		if aborts && rng.IntN(4) == 0 && e.Abort(now, uint64(rng.IntN(int(id)+1))) {
			dropped++
		}
		check(t, e)
		if rng.IntN(3) > 0 {
			now += int64(rng.IntN(30000))
		}
		for _, ev := range e.Advance(now) {
			if ev.Kind == Finished {
				finished = append(finished, *ev.Record)
			}
		}
		check(t, e)
	}
	finished = append(finished, drain(t, e)...)
	if len(finished)+dropped != started {
		t.Errorf("%d started, %d finished and %d dropped", started, len(finished), dropped)
	}
	if e.pool.free != p.KVBlocks || len(e.byID) != 0 {
		t.Errorf("idle, with %d of %d blocks free and %d requests known", e.pool.free, p.KVBlocks, len(e.byID))
	}
	return finished, e.Stats()
}

func TestSoak(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a, st := soak(t, seed, seed%2 == 1)
			if st.Preemptions == 0 {
				t.Error("nothing was preempted: the test does not test that")
			}
			b, _ := soak(t, seed, seed%2 == 1)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("the same seed gave other times:\n%s", diff)
			}
			for _, r := range a {
				if r.Generated < 1 || r.Queued > r.Scheduled || r.Scheduled >= r.First || r.First > r.Final {
					t.Errorf("out of order: %+v", r)
				}
			}
		})
	}
}
