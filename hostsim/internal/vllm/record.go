package vllm

// DefaultModel is the name of the model that replicas serve, unless they are told another.
const DefaultModel = "warmroute-sim"

// Request is one prompt to compute and the number of tokens to generate from it.
type Request struct {
	ID uint64 // unique among requests that are not finished
	// Hashes are the chained hashes of the full blocks of the prompt and then of the answer, as far as they are
	// known; blocks beyond them are never cached. Nil: hash Tokens, starting with Seed.
	Hashes []uint64
	Tokens []uint32 // the prompt and, if known, the answer; unused if Hashes is set
	Seed   uint64   // start of the chain when Tokens are hashed, see CacheSeed

	PromptTokens int    // ≥ 1
	MaxTokens    int    // tokens to generate, ≥ 1; all of them are generated
	Priority     int    // the lower, the earlier; used with priority_scheduling alone
	LoRA         string // adapter, or ""; a cache seed of its own is the caller's part
	Whole        bool   // the answer is sent when it is complete, not as a stream
	Tokenized    bool   // the prompt came as token ids: no tokenizer
}

// Record is what is known of one request. Times are in ns of virtual time; -1: not reached yet.
type Record struct {
	ID                              uint64
	Queued, Scheduled, First, Final int64
	Entered                         int64 // came from the front end to the scheduler
	PromptTokens                    int
	Generated                       int // tokens so far
	CachedTokens                    int // prompt tokens found in the cache, or in host memory, when first scheduled
	HostTokens                      int // of them, those in host memory
	ComputedTokens                  int // tokens whose KV was computed, including recomputation after preemption
	Preemptions                     int
}

// Kind is the kind of an Event.
type Kind uint8

// The kinds of events. Token is emitted only under SetTokenEvents, and never for the first token.
const (
	FirstToken Kind = iota
	Token
	Finished // comes right after the event of the last token
	Preempted
)

// Event is a change of one request. Record belongs to the engine and shows the request's latest state.
type Event struct {
	Kind   Kind
	At     int64 // ns
	Record *Record
}

// Stats are a replica's gauges, and its counters since its start.
type Stats struct {
	Running, Waiting      int
	UsedBlocks, Blocks    int
	BlockSize             int   // tokens
	Queries, Hits         int64 // tokens looked up and found, once per request, as vLLM's prefix_cache_* count
	HostQueries, HostHits int64 // the same of host memory, as vLLM's external_prefix_cache_*: tokens looked up after a miss
	LoRALoads             int64 // adapters read into host memory
	LoRAActivations       int64 // adapters put into slots
	PromptTokens          int64 // of requests that reached their first token
	PrefillComputed       int64 // prompt tokens computed, including recomputation after preemption
	GeneratedTokens       int64
	Finished, Preemptions int64
	Steps                 int64
	Busy                  int64 // ns spent in steps

	// LoRA adapters of running and of waiting requests, sorted, as vllm:lora_requests_info lists them.
	RunningAdapters, WaitingAdapters []string
}

// Usage is the share of the blocks that are in use, 0 to 1.
func (s *Stats) Usage() float64 { return float64(s.UsedBlocks) / float64(s.Blocks) }

// Plus is both engines' together, but for what they have run adapters of.
func (s Stats) Plus(o Stats) Stats {
	s.Running, s.Waiting, s.UsedBlocks, s.Blocks, s.BlockSize = s.Running+o.Running, s.Waiting+o.Waiting, s.UsedBlocks+o.UsedBlocks, s.Blocks+o.Blocks, o.BlockSize
	s.Queries, s.Hits, s.HostQueries, s.HostHits = s.Queries+o.Queries, s.Hits+o.Hits, s.HostQueries+o.HostQueries, s.HostHits+o.HostHits
	s.LoRALoads, s.LoRAActivations = s.LoRALoads+o.LoRALoads, s.LoRAActivations+o.LoRAActivations
	s.PromptTokens, s.PrefillComputed, s.GeneratedTokens = s.PromptTokens+o.PromptTokens, s.PrefillComputed+o.PrefillComputed, s.GeneratedTokens+o.GeneratedTokens
	s.Finished, s.Preemptions, s.Steps, s.Busy = s.Finished+o.Finished, s.Preemptions+o.Preemptions, s.Steps+o.Steps, s.Busy+o.Busy
	return s
}
