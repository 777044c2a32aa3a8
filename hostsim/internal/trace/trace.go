// Package trace reads recorded LLM traffic into one form that a replayer can run: who asked when, after what,
// with which prompt, and how long the answer was.
//
// A prompt is either a real JSON body (OpenAI JSONL, LMBenchmark) or a list of block ids (Mooncake, coding
// sessions, Azure): equal ids are equal runs of BlockSize tokens, and since recorders hash a block together
// with all before it, an id also stands for everything that leads to it. Maker turns ids into real bodies.
//
// Formats and what is added to them:
//   - mooncake: kvcache-ai/Mooncake, FAST'25 traces. Times and ids as recorded. Sessions are not; a request is
//     taken to continue the session that first sent the deepest block it shares, if they share two at least:
//     the first block is the system prompt of nearly all.
//   - sessions: coding-agent sessions of kv-cache-tester, one a line, as published or in delta form (see
//     sessionLine). Starts and the sharing of the tools between sessions are modelled.
//   - openai: {"t":seconds,"body":{…},"output_tokens":n} a line, optionally "session" and "think" seconds.
//   - azure: Azure/AzurePublicDataset 2023, arrivals and lengths; no two requests share anything.
//   - lmbench: LMCache/LMBenchmark, [{"input":text,"output_length":n}]; arrivals are Options.Gap apart.
package trace

import (
	"cmp"
	"slices"
)

// Trace is what was read, ordered by At; requests of equal times keep the file's order.
type Trace struct {
	Format    Format
	BlockSize int // tokens a block id stands for; 0 where requests carry bodies
	Requests  []Request
	Sessions  int // how many different ones there are
	IDs       int // block ids are below this
	Skipped   int // bad lines left out, under Options.SkipBad
}

// Request is one prompt and the length of its answer.
type Request struct {
	At      int64 // ns since the trace began, for open-loop replay
	Session int   // 0 to Trace.Sessions-1
	// After is the request whose answer this one waits for in closed-loop replay, as an index into Requests,
	// or -1: then it starts at At. Think is the ns from the end of that answer to this request.
	After int
	Think int64

	Blocks       Blocks // all but the last stand for BlockSize tokens each; the last for what is left
	InputTokens  int    // ≥ 1 where Blocks is set, else 0: what the tokenizer makes of Body
	OutputTokens int    // ≥ 1; a recorded 0 counts as 1, since engines generate at least one token

	Path string // of the API, such as /v1/chat/completions; empty where Blocks is set
	Body []byte // JSON, nil where Blocks is set
}

// Blocks is a list of block ids, kept as runs of consecutive ones.
type Blocks []Span

// Span is the ids First, First+1, … of which there are N.
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

// add appends one id, to the last span where it continues that.
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

// sort orders the requests by time and lets After follow.
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

// follow enters request i in a session, a new one for -1, and returns it and the request before, or -1.
func (c *chains) follow(session, i int) (of, after int) {
	if session < 0 {
		session = len(c.last)
		c.last = append(c.last, -1)
	}
	after = c.last[session]
	c.last[session] = i
	return session, after
}

// Shift moves each session in time by what by says, in ns, and puts the requests in order again; the trace then begins
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

// Clone is a copy whose requests may be moved.
func (t *Trace) Clone() *Trace {
	out := *t
	out.Requests = slices.Clone(t.Requests)
	return &out
}
