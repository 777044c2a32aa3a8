// Package trace reads recorded LLM traffic of several formats into one form that can be replayed: for each request its
// session, its time, the request it follows, its prompt, and the length of its answer.
//
// A prompt is either a real JSON body (OpenAI JSONL, LMBenchmark) or a list of block ids (Mooncake, coding
// sessions, Azure). Equal ids stand for equal runs of BlockSize tokens. Recorders hash a block together with all
// blocks before it, so an id also identifies everything before its block. Maker turns ids into real bodies.
//
// The formats, and what is modelled because they do not record it:
//   - mooncake: kvcache-ai/Mooncake, FAST'25 traces. Times and ids as recorded. Sessions are inferred: a
//     request continues the session that first sent the deepest block it shares, if at least 1,024 tokens are
//     shared (nearly all requests share the first 512, the system prompt); of Bailian's, by parent_chat_id.
//   - sessions: coding-agent sessions of kv-cache-tester, one a line, as published or in delta form (see
//     sessionLine). Starts of sessions, and that they share tools, are modelled.
//   - openai: {"t":seconds,"body":{…},"output_tokens":n} a line, optionally "session" and "think" seconds.
//   - azure: Azure/AzurePublicDataset 2023 and 2024, arrivals and lengths; no two requests share anything.
//   - record: access logs with what the module's setting `record` writes: hashes of blocks, lengths and times.
//   - lmbench: LMCache/LMBenchmark, [{"input":text,"output_length":n}]; arrivals are Options.Gap apart.
package trace

import (
	"cmp"
	"slices"
)

// Trace is a trace that was read. Requests are ordered by At; those of equal times keep the file's order.
type Trace struct {
	Format    Format
	BlockSize int // tokens per block id; 0 if requests have bodies
	Requests  []Request
	Sessions  int      // number of sessions
	IDs       int      // block ids are below this
	Notes     []string // what a log's reader left out or made up, in sentences for people
	Skipped   int      // bad lines that were skipped, under Options.SkipBad; of records always, since their log is an access log
	First     error    // what is wrong with the first of them
	Answers   bool     // replicas keep the answers that later prompts repeat: Kept

	// Of records:
	Missed  int // requests that were not recorded, since there were too many in a second
	Guessed int // requests whose answer has no known length, and is taken to have Guess tokens
	Guess   int
	Counted int // prompt tokens of the records that say how many were cached
	Cached  int // those that were
}

// Request is one prompt and the length of its answer.
type Request struct {
	At      int64 // ns since the trace began, for open-loop replay
	Session int   // 0 to Trace.Sessions-1
	// After is the index in Requests of the request whose answer this one waits for in closed-loop replay; -1: none,
	// it starts at At. Think is the time from the end of that answer to this request, in ns.
	After int
	Think int64

	Blocks       Blocks // all but the last have BlockSize tokens; the last has the rest
	InputTokens  int    // ≥ 1 if Blocks is set, else 0: the replica's tokenizer counts Body
	OutputTokens int    // ≥ 1; a recorded 0 counts as 1, since engines generate at least one token

	Path string // of the API, such as /v1/chat/completions; empty if Blocks is set
	Body []byte // JSON; nil if Blocks is set
}

// Blocks is a list of block ids, stored as runs of consecutive ids.
type Blocks []Span

// Span is a run of N consecutive ids that begins with First.
type Span struct{ First, N uint32 }

// Len is the number of ids.
func (b Blocks) Len() int {
	n := 0
	for _, s := range b {
		n += int(s.N)
	}
	return n
}

// Append appends the ids to dst.
func (b Blocks) Append(dst []uint32) []uint32 {
	for _, s := range b {
		for i := range s.N {
			dst = append(dst, s.First+i)
		}
	}
	return dst
}

// add appends one id, to the last span if it continues that.
func (b Blocks) add(id uint32) Blocks {
	if n := len(b); n > 0 && b[n-1].First+b[n-1].N == id {
		b[n-1].N++
		return b
	}
	return append(b, Span{id, 1})
}

// cut copies the first n ids, with room for more spans to be added.
func (b Blocks) cut(n, more int) Blocks {
	out := make(Blocks, 0, len(b)+more)
	for _, s := range b {
		if n == 0 {
			break
		}
		s.N = min(s.N, uint32(n))
		n -= int(s.N)
		out = append(out, s)
	}
	return out
}

// sort orders the requests by time and adjusts After.
func (t *Trace) sort() {
	order := make([]int, len(t.Requests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Requests[a].At, t.Requests[b].At) })
	place := make([]int, len(order))
	sorted := make([]Request, len(order))
	for to, from := range order {
		place[from], sorted[to] = to, t.Requests[from]
	}
	for i := range sorted {
		if sorted[i].After >= 0 {
			sorted[i].After = place[sorted[i].After]
		}
	}
	t.Requests = sorted
}

// chains links the requests of each session by the session's number.
type chains struct{ last []int }

// follow adds request i to a session (-1: a new one), and returns the session and its request before i, or -1.
func (c *chains) follow(session, i int) (of, after int) {
	if session < 0 {
		session = len(c.last)
		c.last = append(c.last, -1)
	}
	after = c.last[session]
	c.last[session] = i
	return session, after
}

// Shift moves each session in time by the ns that by returns, and orders the requests again. The trace then begins
// at 0.
func (t *Trace) Shift(by func(session int) int64) {
	if len(t.Requests) == 0 {
		return
	}
	for i := range t.Requests {
		t.Requests[i].At += by(t.Requests[i].Session)
	}
	first := t.Requests[0].At
	for i := range t.Requests {
		first = min(first, t.Requests[i].At)
	}
	for i := range t.Requests {
		t.Requests[i].At -= first
	}
	t.sort()
}

// Clone returns a copy whose requests may be changed.
func (t *Trace) Clone() *Trace {
	out := *t
	out.Requests = slices.Clone(t.Requests)
	return &out
}
