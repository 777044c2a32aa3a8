// Package vllm is a model of a vLLM replica, an engine in virtual time, and the profiles that say how fast it is.
//
// It follows vLLM V1's scheduler (v1/core/sched/scheduler.py, kv_cache_manager.py, block_pool.py; read
// at 0.19 to 0.33):
//
//   - In each step the token budget goes to running requests first, in order of admission: one token to each
//     decoding request, a chunk to each whose prompt is not finished. The rest of the budget admits waiting
//     requests, first come first served, if their whole known sequence fits into the free blocks
//     (scheduler_reserve_full_isl).
//   - When a running request gets no block, the request admitted last is preempted: its blocks are freed, and it
//     is computed again later.
//   - Full blocks are cached under chained hashes when they are scheduled. A lookup never covers the whole
//     prompt, because the last token must be computed.
//   - The Profile gives a step's duration.
//   - With async_scheduling (v1/engine/core.py, step_with_batch_queue; sched/async_scheduler.py) the next step is
//     scheduled when the step before it begins to execute, from the state that one will leave. A request that
//     arrives in between waits for one step more.
//
// Features of a profile switch on what else vLLM does: priorities, a second tier of KV in host memory, speculative
// decoding, LoRA adapters, limits of chunked prefill, and no prefix cache (features.go).
//
// Not modelled: encoder inputs and several KV groups. How close the model is to real servers: docs/fidelity.md.
package vllm

import (
	"errors"
	"fmt"
	"slices"
)

// ErrTooLong is wrapped by Submit's error for a request beyond MaxModelLen.
var ErrTooLong = errors.New("request is longer than the model's context")

// Engine is one replica. It is not safe for concurrent use. Times given to it must never decrease.
type Engine struct {
	// What tells when something is due comes first, together: a run of many replicas asks each of them at every moment.
	pipeline  int   // number of steps in it
	stepEnd   int64 // of the first
	idleStart int64 // when idle with requests waiting: the time at which the next step begins
	front     frontEnd
	events    []Event
	waiting   queue
	holding   []*seq // their KV has come from host memory, and they wait for a step
	loading   []*seq // it is under way, in order

	running     []*seq
	pool        *pool
	steps       [maxPipeline]step // in the pipeline: the first executes, the next is scheduled
	stepBegin   int64             // of the first
	gpuEnd      int64             // of the first: when it would end if its kernels were launched at once
	slowdown    float64
	tokenEvents bool
	spare       []Event // the slice that the last Advance returned
	byID        map[uint64]*seq
	stats       Stats
	profile     Profile

	host     *hostTier // nil: no second tier
	adapters *adapters // nil: none
	skipped  []*seq    // scratch
}

// seq is a request within the engine.
type seq struct {
	Record
	hashes   []uint64
	blocks   []int32
	max      int // tokens to generate
	computed int // tokens whose KV is in blocks, or will be at the end of the scheduled steps
	pending  int // tokens that the scheduled steps will generate
	stored   int // leading blocks stored in the cache
	running  bool
	gone     bool // finished or aborted

	priority int
	adapter  string
	through  float64 // ns of work per request after which the front end is through with it
	ready    int64   // ns: its KV has come from host memory; 0: none is under way
	missed   missed
	surplus  float64 // of accepted draft tokens: what does not make a whole one yet
}

// total is the number of tokens known at the end of the scheduled steps.
func (s *seq) total() int { return s.PromptTokens + s.Generated + s.pending }

// NewEngine makes an idle replica with an empty cache. The error names the profile's bad field.
func NewEngine(p Profile) (*Engine, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{profile: p, pool: newPool(p.KVBlocks), byID: map[uint64]*seq{}, slowdown: 1}
	e.waiting.ordered = p.PriorityScheduling == 1
	if p.HostKVBlocks > 0 {
		e.host = newHostTier(p.HostKVBlocks)
	}
	if p.MaxLoRAs > 0 {
		e.adapters = newAdapters(p.MaxLoRAs, max(p.MaxLoRAs, p.MaxHostLoRAs))
	}
	return e, nil
}

// Profile returns the replica's profile.
func (e *Engine) Profile() Profile { return e.profile }

// SetTokenEvents makes Advance report every token, for streaming. It is off by default.
func (e *Engine) SetTokenEvents(on bool) { e.tokenEvents = on }

// Slowdown is the factor that SetSlowdown has set.
func (e *Engine) Slowdown() float64 { return e.slowdown }

// SetSlowdown multiplies the duration of steps that start from now on. The default is 1; factors ≤ 0 count as 1.
func (e *Engine) SetSlowdown(factor float64) {
	if !(factor > 0) {
		factor = 1
	}
	e.slowdown = factor
}

// Share is SetSlowdown from time now on, also for the rest of the executing step: what a replica does on cores that others
// use too. Steps due by now must have run.
func (e *Engine) Share(now int64, factor float64) {
	was := e.slowdown
	e.SetSlowdown(factor)
	if e.pipeline > 0 && e.slowdown != was && e.gpuEnd > now {
		e.gpuEnd = now + max(1, int64(float64(e.gpuEnd-now)*(e.slowdown/was)))
		e.setEnd()
	}
}

// Busy reports whether a step executes.
func (e *Engine) Busy() bool { return e.pipeline > 0 }

// Submit queues a request at time now. A step that starts at that time can already contain it.
// Errors: no token to compute or to generate, an ID in use, ErrTooLong.
func (e *Engine) Submit(now int64, r Request) error {
	if r.PromptTokens < 1 || r.MaxTokens < 1 {
		return fmt.Errorf("request %d: %d prompt tokens and %d to generate; both must be at least 1", r.ID, r.PromptTokens, r.MaxTokens)
	}
	if n := r.PromptTokens + r.MaxTokens; n > e.profile.MaxModelLen {
		return fmt.Errorf("request %d: %w: %d tokens, at most %d", r.ID, ErrTooLong, n, e.profile.MaxModelLen)
	}
	if _, ok := e.byID[r.ID]; ok {
		return fmt.Errorf("request %d: this ID is in use", r.ID)
	}
	if r.LoRA != "" && e.adapters == nil {
		return fmt.Errorf("request %d: adapter %q: max_loras of profile %s is 0", r.ID, r.LoRA, e.profile.Name)
	}
	e.runBefore(now)
	if e.profile.PrefixCachingOff == 1 {
		r.Hashes = []uint64{}
	}
	hashes := e.profile.Blocks(r.Hashes)
	if hashes == nil {
		hashes = ChainHashes(nil, r.Seed, r.Tokens, e.profile.BlockSize)
	}
	s := &seq{hashes: hashes, max: r.MaxTokens, priority: r.Priority, adapter: r.LoRA}
	s.Record = Record{ID: r.ID, Queued: now, Scheduled: -1, First: -1, Final: -1, PromptTokens: r.PromptTokens, CachedTokens: -1}
	e.byID[r.ID] = s
	e.enter(now, s, &r)
	return nil
}

// Advance runs all steps that end by now, starts the next, and returns what happened since the last call, in
// order of time. The slice is valid until the next call.
func (e *Engine) Advance(now int64) []Event {
	for {
		t, ok := e.Next()
		if !ok || t > now {
			break
		}
		e.do(t)
	}
	if len(e.events) == 0 {
		return nil
	}
	out := e.events
	e.events, e.spare = e.spare[:0], out
	return out
}

// runBefore runs steps due before now. Those due at now itself run later, and see what is submitted at now.
func (e *Engine) runBefore(now int64) {
	for {
		t, ok := e.Next()
		if !ok || t >= now {
			return
		}
		e.do(t)
	}
}

// Abort drops a request at time now and frees its blocks at once. It reports whether the request existed.
func (e *Engine) Abort(now int64, id uint64) bool {
	e.runBefore(now)
	s, ok := e.byID[id]
	if !ok {
		return false
	}
	e.pool.release(s.blocks)
	switch {
	case s.running:
		e.running = remove(e.running, s)
	case slices.Contains(e.loading, s):
		e.loading = remove(e.loading, s)
	case slices.Contains(e.holding, s):
		e.holding = remove(e.holding, s)
	case slices.Contains(e.front.entering, s):
		e.front.advance(now)
		e.front.entering = remove(e.front.entering, s)
	default:
		e.waiting.remove(s)
	}
	s.running, s.gone = false, true
	delete(e.byID, id)
	return true
}

// ResetCache empties the prefix cache, and host memory, like vLLM's /reset_prefix_cache with reset_external. If a request holds blocks, it does nothing and
// returns false.
func (e *Engine) ResetCache() bool {
	if e.pool.free != len(e.pool.blocks) {
		return false
	}
	e.pool.reset()
	if e.host != nil {
		e.host = newHostTier(e.profile.HostKVBlocks)
	}
	return true
}

// Stats returns the gauges and counters as of the last call that ran steps.
func (e *Engine) Stats() Stats {
	s := e.stats
	s.Running, s.Waiting = len(e.running), e.waiting.len()+len(e.loading)+len(e.holding)
	s.Blocks, s.BlockSize = len(e.pool.blocks), e.profile.BlockSize
	s.UsedBlocks = s.Blocks - e.pool.free
	if e.adapters != nil {
		s.RunningAdapters = adaptersOf(e.running)
		s.WaitingAdapters = adaptersOf(e.waiting.items[e.waiting.head:], e.loading, e.holding)
	}
	return s
}

// Cached returns how many leading hashes the prefix cache holds now, in blocks: the true value of what routers estimate. Where states are
// kept, too (AlignedStates), a prompt may find less: a server's events tell of blocks.
func (e *Engine) Cached(hashes []uint64) int {
	found, _ := e.pool.lookup(hashes)
	return len(found)
}

// InHost returns how many leading hashes host memory holds now, in blocks.
func (e *Engine) InHost(hashes []uint64) int {
	if e.host == nil {
		return 0
	}
	return e.host.leading(hashes)
}
