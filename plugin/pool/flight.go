package pool

import (
	"warmroute/plugin/health"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/queue"
	"warmroute/plugin/traffic"
)

// Flight is one request: what is known of its prompt, what its endpoint's cache is believed to hold of it, and its phase.
type Flight struct {
	Seed    uint64       // model, adapter, salt and tenant; the chain's is keyed besides
	Chain   prefix.Chain // the prompt's blocks, as far as they have been read; empty without an index
	Matched int          // leading blocks that the endpoint is believed to hold
	Total   int          // blocks of the prompt
	Tokens  float64      // of the whole prompt, as estimated
	Guess   int          // the endpoint that is guessed to hold more of it than is known (Pool.Hidden); −1: none
	Begins  int          // leading blocks behind which its place was looked for (Pool.Meets); of a guess
	New     bool         // no endpoint is known to hold more than those; of a guess

	model    uint64  // key of tokens
	adapter  uint32  // its LoRA adapter's key; 0: none that is known
	perToken float64 // bytes of canonical prompt
	grain    float64 // tokens in a block of the caches, where these are coarse; 0: they are not
	repeats  float64 // after Match: share of what a turn adds that is in the cache of the endpoint that had the one before
	answer   float64 // likewise: tokens of that at most
	shared   int     // likewise: leading blocks that other conversations begin with
	forks    int     // likewise: leading blocks behind which others have gone on otherwise, or another has
	bytes    int     // of canonical prompt
	whole    float64 // bytes of all of it, as estimated
	exact    bool    // bytes is the whole prompt
	refused  bool    // probably, by its endpoint: its blocks are entered into the index once its response has come: see refuses
	deferred bool    // its blocks are entered once its first token has come: see swamps
	streams  bool    // the response will show its first token
	atypical bool    // its usage says nothing of the cache: prompt.Prompt
	media    bool    // its tokens are not in proportion to its bytes
	apart    bool    // from other prompts by its tenant or salt: its server may not keep them apart
	fetched  bool    // its first token waits for media that its server fetches
	touched  uint32  // when the last matched block was, ms
	unsent   int     // of Hidden: the class of what was sent nowhere
	before   int     // leading blocks that were sent to some endpoint before
	known    int     // leading blocks that the endpoint may hold if there is no other gateway
	returns  traffic.Returning
	seen     float64 // tokens of it that were computed before, as counted in Returns
	since    uint32  // of Return, in ms
	lately   int     // leading blocks of the prompt that were computed since then, or that an endpoint holds
	fresh    float64 // tokens of the prompt behind those; all, where Return was not called
	held     int     // leading blocks of the prompt that some endpoint holds; 0, where Return was not called
	evicted  bool    // its endpoint has had those, too, and has evicted them

	phase     phase
	endpoint  int    // that the request is counted at, from Begin on
	turn      uint32 // endpoint.turn then
	crowded   bool   // it waits for KV memory there
	tells     bool   // its response will have usage
	taught    bool   // its first token has told of its endpoint's speed
	moved     bool   // it is not the one first chosen
	drawn     bool   // by load: NoteChoice
	watched   bool   // it is its endpoint's underway
	suspended bool   // it counts for nothing there: Suspend
	sent      int64  // when the whole request was, for all that is known, ns; 0: not yet
	begun     int64  // ns
	late      int64  // ns that the end of the prompt came after that: its client may have held it back
	inserted  int64  // ns: when its blocks were last entered into the index; 0: they were not
	used      int    // leading blocks that it uses there since then
	entered   Visit
	lost      Visit
	cut       prefix.Chain // lost's: the blocks that it used
	first     int64        // when the first token came, ns; 0: not yet
	ahead     float64      // tokens queued at the endpoint before this one's
	found     float64      // tokens of memory that it needs for what is cached of it
	memory    float64      // tokens that count for it in the endpoint's memory
	reads     float64      // tokens that count for it in endpoint.reads
	uncached  float64      // tokens of the prompt to be computed there, as estimated
	deeper    float64      // if its response is not streamed: Pool.deeper
	pace      pace
	begins    [mostHeld]uint64 // hashes of its beginnings that were counted in demand; 0: none
	place     queue.Mark       // its own, if its response is not streamed
}

// Bytes is how long the canonical prompt is, as far as it was read.
func (f *Flight) Bytes() int { return f.bytes }

// phase is how far a request has come.
type phase uint8

const (
	decided phase = iota
	waiting       // for the first token
	running
	ended
)

// Outcome is how a request ended, as far as it is known. Numbers that are not known are 0.
type Outcome struct {
	Ending health.Ending
	Client uint64 // the address that it came from, hashed; 0: not known
	Lost   bool   // no part of a response came: the request was refused, or the client left first
	HungUp bool   // the client left
	Unfit  bool   // likewise, by a status that its length may be the reason of: 400, 413 or 422
	Denied bool   // of a shadow's request, whose Ending is Cancelled: the live one was refused
	Mute   bool   // the whole response has come, its usage was asked for, and it has none
	Leapt  bool   // the clock was set meanwhile, or the proxy stood still: how long anything took is not known

	Usage        bool // the next two are known
	PromptTokens int  // usage.prompt_tokens
	CachedTokens int  // usage.prompt_tokens_details.cached_tokens

	OutputTokens int // of the response, by its usage

	TTFT int64 // nanoseconds from Begin to the first part of a streamed response; 0: as measured by FirstToken
	Came int64 // ns: when another response began to come, as a whole: its client may hold back what follows; 0: not known
}

// mostTokens bounds the estimate from the content-length header, before the body has come: a client that announces 2 GB and
// sends nothing must not make an endpoint look full. Few models have a longer context.
const mostTokens = 1 << 18

// templateTokens is more than a chat template adds to a prompt.
const templateTokens = 4096

// Prepare writes what is known of a prompt into f. length is the bytes of the whole body by its header, 0 if not known.
// Slices of the prompt are not kept; the chain's memory is used again.
func (p *Pool) Prepare(f *Flight, of *prompt.Prompt, tenant []byte, length int) {
	f.Reset()
	f.Seed = p.names.seed(of, tenant)
	p.chain(f, of)
	f.streams, f.exact, f.bytes = shows(of), !of.Truncated, of.Size()
	f.note(of)
	f.apart = len(of.Salt)+len(tenant) > 0
	f.model, f.adapter = p.names.key(of), p.adapters.Key(of.Adapter, of.Model)
	f.perToken = p.tokens.PerToken(f.model)
	f.grain = p.grain
	f.whole = float64(f.bytes)
	f.Tokens = f.whole / f.perToken
	if of.Truncated && of.BodyBytes > 0 && length > of.BodyBytes {
		f.whole *= float64(length) / float64(of.BodyBytes)
		f.Tokens = max(f.Tokens, min(f.whole/f.perToken, mostTokens))
	}
	if f.truncate(of) {
		f.Chain.Reset()
		f.Total = 0
	}
	f.fresh = f.Tokens
}

// note writes into f what the prompt says of its response.
func (f *Flight) note(of *prompt.Prompt) {
	f.atypical, f.media, f.fetched, f.tells = of.Atypical, of.Media, of.Fetched, of.TellsUsage()
}

// chain puts the prompt's parts in the order of the pool's chat template, and writes its blocks into f where there is an index.
func (p *Pool) chain(f *Flight, of *prompt.Prompt) {
	if of.ToolsFirst = p.toolsFirst; p.Index != nil {
		of.Chain(&f.Chain, f.Seed^p.secret)
		f.Total = f.Chain.Len()
	}
}

// truncate says whether the server keeps the end of the prompt alone: then that is all of it, and none of its blocks is in a cache as it is here.
func (f *Flight) truncate(of *prompt.Prompt) bool {
	if of.Keeps == 0 || f.Tokens <= of.Keeps {
		return false
	}
	f.Tokens, f.whole = of.Keeps, of.Keeps*f.perToken
	f.bytes = int(f.whole)
	return true
}

// Reset empties f and keeps its memory.
func (f *Flight) Reset() {
	f.Chain.Reset()
	*f = Flight{Chain: f.Chain, Guess: -1}
}

// Begin records that the request goes to an endpoint: it is counted there, and its prompt will be in that endpoint's
// cache.
func (p *Pool) Begin(f *Flight, endpoint int, now int64) {
	f.endpoint, f.begun, f.late, f.first, f.phase = endpoint, now, 0, 0, waiting
	f.inserted, f.used, f.entered, f.taught = 0, 0, Visit{}, false
	f.ahead = p.Queue(endpoint, now)
	f.uncached = f.Uncached(f.Matched)
	f.crowded = p.waitsForMemory(f, now)
	p.enqueue(endpoint, now, f.uncached, f.streams)
	p.awaitEnd(f, now)
	p.read(f)
	p.waits(f, 1)
	f.found = p.ToHold(f, endpoint, f.Matched, now) - f.uncached // later its own beginning is in the index
	if f.streams {
		p.findMemory(f)
	} else {
		f.deeper = p.deeper(f)
		p.moreUnseen(endpoint, now, 0, f.deeper)
	}
	f.turn = p.ends[endpoint].turn
	p.ends[endpoint].slots.Use(f.adapter, now)
	f.sent = 0
	p.noteSent(f, now)
	f.place = p.ends[endpoint].queue.Sent()
	f.refused, f.deferred = p.refuses(f), p.swamps(f, now)
	p.enter(f, now)
	p.observe(endpoint, now)
}

// aheadOf is the tokens that were queued at the endpoint before the request's when the whole of it had come.
func (p *Pool) aheadOf(f *Flight) float64 {
	return max(f.ahead-queue.Computed(f.late, p.PerToken(f.endpoint)), 0)
}

// same says whether the endpoint at the request's index is still the one that it was sent to, and has not left meanwhile.
//
//go:noinline
func (p *Pool) same(f *Flight) bool { return f.turn == p.ends[f.endpoint].turn }

// Endpoint is where the request is counted, after Begin.
func (f *Flight) Endpoint() int { return f.endpoint }
