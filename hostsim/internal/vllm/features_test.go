package vllm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// featured is the small profile with 1 µs a step, 10 ns a prefill token and nothing else, changed.
func featured(t testing.TB, blocks int, change func(*Profile)) Profile {
	t.Helper()
	p := Profile{Name: "featured", StepOverhead: 1000, PrefillPerToken: 10, BlockSize: 4, KVBlocks: blocks, MaxNumBatchedTokens: 64,
		MaxNumSeqs: 8, MaxModelLen: blocks * 4, Sources: map[string]string{}}
	change(&p)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

// run submits all requests at their times and returns their records by ID.
func runAll(t testing.TB, e *Engine, at []int64, requests []Request) map[uint64]Record {
	t.Helper()
	for i, r := range requests {
		mustSubmit(t, e, at[i], r)
	}
	done := map[uint64]Record{}
	for _, ev := range e.Advance(math.MaxInt64) {
		if ev.Kind == Finished {
			done[ev.Record.ID] = *ev.Record
		}
	}
	if len(done) != len(requests) {
		t.Fatalf("%d of %d requests finished", len(done), len(requests))
	}
	if used := e.Stats().UsedBlocks; used != 0 {
		t.Errorf("%d blocks are held at the end", used)
	}
	return done
}

func request(id uint64, prompt, limit int) Request {
	return Request{ID: id, Tokens: tokens(1, uint32(id), 0, prompt), PromptTokens: prompt, MaxTokens: limit}
}

// vLLM: --no-enable-prefix-caching, the default of hybrid models: nothing is looked up or found.
func TestPrefixCachingOff(t *testing.T) {
	for _, off := range []int{0, 1} {
		e := mustEngine(t, featured(t, 32, func(p *Profile) { p.PrefixCachingOff = off }))
		a, b := request(1, 40, 1), request(2, 40, 1)
		b.Tokens = a.Tokens
		done := runAll(t, e, []int64{0, 1e6}, []Request{a, b})
		want := map[int]int{0: 36, 1: 0}[off]
		if got := done[2].CachedTokens; got != want || off == 1 && e.Stats().Queries != 0 {
			t.Errorf("off %d: %d tokens of the same prompt cached, %d looked up; want %d", off, got, e.Stats().Queries, want)
		}
	}
}

// vLLM, long_prefill_token_threshold: a step computes at most that much of one prompt, so that a short one behind it is not
// held up. Without chunked prefill, a prompt waits until a step's budget has room for all of it.
func TestChunkedPrefill(t *testing.T) {
	first := func(change func(*Profile)) (long, short int64) {
		e := mustEngine(t, featured(t, 64, change))
		done := runAll(t, e, []int64{0, 0}, []Request{request(1, 128, 1), request(2, 16, 1)})
		return done[1].First, done[2].First
	}
	long, short := first(func(*Profile) {})
	if long != 2*(1000+640) || short != long+1000+160 {
		t.Errorf("chunked prefill: %d, %d", long, short)
	}
	if long, short = first(func(p *Profile) { p.LongPrefillTokens = 32 }); short != 1000+10*(32+16) || long != 4*1000+10*(128+16) {
		t.Errorf("at most 32 tokens of a prompt a step: %d, %d", long, short)
	}
	whole := func(p *Profile) { p.ChunkedPrefillOff, p.MaxNumBatchedTokens, p.MaxModelLen = 1, 140, 140 }
	if long, short = first(whole); long != 1000+1280 || short != long+1000+160 {
		t.Errorf("without chunks: %d, %d; want the short prompt in a step of its own", long, short)
	}
	p := featured(t, 64, func(*Profile) {})
	p.ChunkedPrefillOff = 1
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "chunked_prefill_off") {
		t.Errorf("prompts longer than a step without chunks: %v", err)
	}
}

// vLLM, --scheduling-policy priority: the lowest value is admitted first, whatever came first; of equal ones, the earlier.
func TestPriorityAdmission(t *testing.T) {
	for _, c := range []struct {
		on   int
		want []uint64
	}{{0, []uint64{1, 2, 3, 4}}, {1, []uint64{1, 3, 4, 2}}} {
		e := mustEngine(t, featured(t, 64, func(p *Profile) { p.MaxNumSeqs, p.PriorityScheduling = 1, c.on }))
		var requests []Request
		for i, priority := range []int{0, 5, -1, 2} {
			r := request(uint64(i+1), 8, 4)
			r.Priority = priority
			requests = append(requests, r)
		}
		done := runAll(t, e, []int64{0, 1, 2, 3}, requests) // the first runs when the others come
		order := []uint64{1, 2, 3, 4}
		slices.SortFunc(order, func(a, b uint64) int { return int(done[a].First - done[b].First) })
		if !slices.Equal(order, c.want) {
			t.Errorf("priority_scheduling %d: order %v, want %v", c.on, order, c.want)
		}
	}
}

// vLLM, scheduler.py: when blocks run out, the running request with the largest (priority, arrival) is preempted, even if it
// was admitted first; first come first served preempts the one admitted last. It is computed again, from its prompt and what
// it had generated.
func TestPriorityPreemption(t *testing.T) {
	for on, want := range map[int]uint64{0: 2, 1: 1} {
		e := mustEngine(t, featured(t, 8, func(p *Profile) { p.PriorityScheduling = on }))
		a, b := request(1, 12, 16), request(2, 12, 16)
		a.Priority, b.Priority = 7, 1
		done := runAll(t, e, []int64{0, 1}, []Request{a, b})
		other := 3 - want
		if done[want].Preemptions == 0 || done[other].Preemptions != 0 {
			t.Errorf("priority_scheduling %d: preemptions %d and %d; want those of request %d alone", on, done[1].Preemptions, done[2].Preemptions, want)
		}
		if r := done[want]; r.ComputedTokens <= r.PromptTokens+r.Generated-1 || r.Generated != 16 {
			t.Errorf("priority_scheduling %d: %d tokens computed for %d; want more: recomputation", on, r.ComputedTokens, r.PromptTokens+r.Generated-1)
		}
	}
}

// vLLM, KV offloading to CPU memory: what the GPU evicted is copied back instead of computed, while other requests run;
// cached_tokens counts it, prefix_cache_hits does not, external_prefix_cache_hits does.
func TestHostTier(t *testing.T) {
	run := func(host int) (again Record, e *Engine) {
		e = mustEngine(t, featured(t, 24, func(p *Profile) { p.HostKVBlocks, p.HostPerKVToken = host, 2 }))
		a, other, b := request(1, 64, 1), request(2, 80, 1), request(3, 64, 1)
		b.Tokens = a.Tokens
		return runAll(t, e, []int64{0, 1e6, 2e6}, []Request{a, other, b})[3], e
	}
	without, _ := run(0)
	with, e := run(100)
	st := e.Stats()
	if without.HostTokens != 0 || with.HostTokens == 0 || with.CachedTokens != 60 || with.HostTokens+int(st.Hits) != 60 {
		t.Errorf("without: %+v; with: %+v, hits %d", without, with, st.Hits)
	}
	if st.HostHits != int64(with.HostTokens) || st.HostQueries == 0 {
		t.Errorf("host: %d of %d tokens hit, the request had %d", st.HostHits, st.HostQueries, with.HostTokens)
	}
	if got, limit := with.First-with.Queued, without.First-without.Queued; got >= limit {
		t.Errorf("first token after %d ns with host memory, %d without", got, limit)
	}
	if small, _ := run(2); small.HostTokens != 0 {
		t.Errorf("host memory of two blocks still has %d tokens of an old prompt's head", small.HostTokens)
	}
}

// The link copies one request after another, others run meanwhile, and requests that hold KV never block each other.
func TestHostTierUnderLoad(t *testing.T) {
	e := mustEngine(t, featured(t, 20, func(p *Profile) { p.HostKVBlocks, p.HostPerKVToken, p.AsyncScheduling = 60, 50, 1 }))
	var at []int64
	var requests []Request
	for i := range 60 {
		r := request(uint64(i), 24+i%5*8, 4+i%7)
		r.Tokens = append(tokens(uint32(i%4+2), 0, 1<<20, 20), r.Tokens[20:]...)
		at, requests = append(at, int64(i)*900), append(requests, r)
	}
	runAll(t, e, at, requests)
	st := e.Stats()
	if st.HostHits == 0 || st.Preemptions == 0 {
		t.Errorf("%+v: nothing came from host memory, or nothing was preempted: the load is too easy", st)
	}
	// Aborted while its KV comes.
	e = mustEngine(t, featured(t, 24, func(p *Profile) { p.HostKVBlocks, p.HostPerKVToken = 100, 1e6 }))
	runAll(t, e, []int64{0, 1e6}, []Request{request(1, 64, 1), request(2, 80, 1)})
	b := request(3, 64, 1)
	b.Tokens = tokens(1, 1, 0, 64)
	mustSubmit(t, e, 2e6, b)
	e.Advance(2e6 + 5000)
	if st := e.Stats(); st.Running != 0 || st.Waiting != 1 || st.UsedBlocks == 0 {
		t.Errorf("%+v: want a request that holds blocks and waits", st)
	}
	if !e.Abort(2e6+6000, 3) || e.Stats().UsedBlocks != 0 {
		t.Errorf("after the abort: %+v", e.Stats())
	}
	if _, busy := e.Next(); busy {
		e.Advance(math.MaxInt64)
		if _, busy = e.Next(); busy {
			t.Error("the replica never becomes idle")
		}
	}
}

// Leviathan et al., eq. 1: with acceptance α and γ drafts, a step generates (1 − α^(γ+1)) / (1 − α) tokens on average.
func TestSpeculation(t *testing.T) {
	const drafts, acceptance, answer = 4, .8, 1000
	p := featured(t, 1000, func(p *Profile) {
		p.SpeculativeTokens, p.SpeculativeAcceptance, p.SpeculativeDraft, p.DecodePerSeq = drafts, acceptance, 300, 10
	})
	e := mustEngine(t, p)
	r := runAll(t, e, []int64{0}, []Request{request(1, 8, answer)})[1]
	steps := float64(e.Stats().Steps - 1) // less the prefill
	want := (1 - math.Pow(acceptance, drafts+1)) / (1 - acceptance)
	if got := (answer - 1) / steps; math.Abs(got/want-1) > .01 {
		t.Errorf("%.3f tokens a step, want %.3f", got, want)
	}
	if got, step := float64(r.Final-r.First)/steps, float64(1000+300+10*(1+drafts)); math.Abs(got/step-1) > .01 {
		t.Errorf("a step took %.0f ns, want %.0f", got, step)
	}
	if r.Generated != answer {
		t.Errorf("%d tokens generated, want %d", r.Generated, answer)
	}
	p.SpeculativeAcceptance = 0
	e = mustEngine(t, p)
	if runAll(t, e, []int64{0}, []Request{request(1, 8, 50)}); e.Stats().Steps != 50 {
		t.Errorf("%d steps for 50 tokens without acceptance", e.Stats().Steps)
	}
}

// vLLM, lora/worker_manager.py and scheduler.py: a step uses max_loras adapters at most and passes over requests with
// others; an adapter is read once, and put into a slot again after eviction; the least recently used goes first.
func TestAdapters(t *testing.T) {
	adapter := func(id uint64, name string) Request {
		r := request(id, 8, 3)
		r.LoRA = name
		return r
	}
	p := featured(t, 64, func(p *Profile) { p.MaxLoRAs, p.MaxHostLoRAs, p.LoRAActivate, p.LoRALoad = 2, 3, 5000, 70000 })
	e := mustEngine(t, p)
	first := runAll(t, e, []int64{0}, []Request{adapter(1, "a")})[1]
	if got, want := first.First, int64(1000+80+5000+70000); got != want {
		t.Errorf("first token after %d ns, want %d with the adapter's loading", got, want)
	}
	warm := runAll(t, e, []int64{1e6}, []Request{adapter(2, "a")})[2]
	if got, want := warm.First-warm.Queued, int64(1000+80); got != want {
		t.Errorf("a loaded adapter: first token after %d ns, want %d", got, want)
	}
	// Three adapters at once, two slots: the third waits, a request without an adapter behind it does not.
	mustSubmit(t, e, 2e6, adapter(3, "a"))
	mustSubmit(t, e, 2e6, adapter(4, "b"))
	mustSubmit(t, e, 2e6, adapter(5, "c"))
	mustSubmit(t, e, 2e6, request(6, 8, 3))
	e.Advance(2e6)
	if st := e.Stats(); st.Running != 3 || !slices.Equal(st.RunningAdapters, []string{"a", "b"}) || !slices.Equal(st.WaitingAdapters, []string{"c"}) {
		t.Errorf("%d run, adapters %v, waiting %v", st.Running, st.RunningAdapters, st.WaitingAdapters)
	}
	e.Advance(math.MaxInt64)
	if got := e.ActiveAdapters(); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("slots have %v, want b and c: a was used least recently", got)
	}
	if st := e.Stats(); st.LoRALoads != 3 || st.LoRAActivations != 3 {
		t.Errorf("%d loads, %d activations; want 3 and 3", st.LoRALoads, st.LoRAActivations)
	}
	again := runAll(t, e, []int64{9e6}, []Request{adapter(7, "a")})[7]
	if got, want := again.First-again.Queued, int64(1000+80+5000); got != want {
		t.Errorf("an adapter in host memory: first token after %d ns, want %d", got, want)
	}
	plain := mustEngine(t, featured(t, 64, func(*Profile) {}))
	if err := plain.Submit(0, adapter(1, "a")); err == nil || !strings.Contains(err.Error(), "max_loras") {
		t.Errorf("an adapter on a replica without: %v", err)
	}
}

// Everything on at once under a load that preempts: all finish, nothing leaks, and a second run is the same.
func TestFeaturesTogether(t *testing.T) {
	run := func() (map[uint64]Record, string) {
		e := mustEngine(t, featured(t, 24, func(p *Profile) {
			p.PriorityScheduling, p.HostKVBlocks, p.HostPerKVToken = 1, 50, 3
			p.SpeculativeTokens, p.SpeculativeAcceptance, p.MaxLoRAs, p.LoRAActivate = 3, .6, 2, 400
			p.LongPrefillTokens, p.AsyncScheduling, p.DecodePerSeq, p.SmoothRoofline, p.Weights = 24, 1, 10, 1, 500
		}))
		var at []int64
		var requests []Request
		for i := range 200 {
			r := request(uint64(i), 8+i*13%50, 1+i*7%30)
			if i%3 == 0 {
				r.Tokens = append(tokens(9, 0, 1<<20, 8), r.Tokens[8:]...)
			}
			r.Priority, r.LoRA = i%4, []string{"", "a", "b", "c"}[i*5%4]
			at, requests = append(at, int64(i)*2500), append(requests, r)
		}
		done := runAll(t, e, at, requests)
		return done, fmt.Sprintf("%+v", e.Stats())
	}
	a, sa := run()
	b, sb := run()
	if sa != sb || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("two runs differ: %s, %s", sa, sb)
	}
	for id, r := range a {
		if r.Generated != 1+int(id)*7%30 {
			t.Errorf("request %d generated %d", id, r.Generated)
		}
	}
}

// vLLM: --mamba-cache-mode align. A prompt is found again up to where a step ended, and a step of a prompt ends at the end of its last whole block.
func TestAlignedStates(t *testing.T) {
	like := func(id uint64, of Request, same, prompt, limit int) Request {
		r := request(id, prompt, limit)
		r.Tokens = append(slices.Clone(of.Tokens[:same]), r.Tokens[:prompt-same]...)
		return r
	}
	short, long, spoken := request(1, 22, 1), request(2, 150, 1), request(3, 7, 10)
	spoken.Tokens = append(spoken.Tokens, tokens(1, 30, 0, 10)...) // and its answer
	requests := []Request{short, long, spoken,
		like(4, short, 22, 22, 1), like(5, short, 16, 22, 1), like(6, long, 100, 130, 1), like(7, spoken, 17, 19, 1)}
	requests = append(requests, like(8, requests[4], 20, 23, 1))
	var at []int64
	for i := range requests {
		at = append(at, int64(i)*1e6)
	}
	for aligned, want := range [][]int{{20, 16, 100, 16, 20}, {20, 0, 64, 16, 20}} {
		e := mustEngine(t, featured(t, 200, func(p *Profile) { p.AlignedStates = aligned }))
		done := runAll(t, e, at, requests)
		for i, n := range want {
			if got := done[uint64(4+i)].CachedTokens; got != n {
				t.Errorf("aligned %d: of request %d %d tokens are cached, want %d", aligned, 4+i, got, n)
			}
		}
		if took, once := done[1].First-done[1].Queued, int64(1000+22*10); (aligned == 0) != (took == once) || aligned == 1 && took != 1000+once {
			t.Errorf("aligned %d: a prompt takes %d ns, in one step %d", aligned, took, once)
		}
	}
}

// A trace's blocks are found again as whole blocks of the cache alone.
func TestHashedBlocks(t *testing.T) {
	e := mustEngine(t, featured(t, 64, func(p *Profile) { p.BlockSize, p.HashedBlocks, p.MaxModelLen = 12, 3, 200 }))
	a, b := request(1, 60, 1), request(2, 60, 1)
	a.Hashes, b.Hashes = make([]uint64, 15), make([]uint64, 15)
	for i := range a.Hashes {
		a.Hashes[i], b.Hashes[i] = uint64(100+i), uint64(100+i)
		if i >= 8 {
			b.Hashes[i] = uint64(200 + i)
		}
	}
	shown := slices.Clone(b.Hashes)
	if got := runAll(t, e, []int64{0, 1e6}, []Request{a, b})[2].CachedTokens; got != 24 || !slices.Equal(shown, b.Hashes) {
		t.Errorf("%d of 32 tokens that two prompts have in common are cached in blocks of 12, want 24; the trace's blocks are %v", got, b.Hashes)
	}
}
