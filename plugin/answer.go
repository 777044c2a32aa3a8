package main

import (
	"strconv"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/prompt"
)

// answer is what became of a steered request: who served it, how soon, and what its cache was worth.
type answer struct {
	began    int64 // when the decision was made, nanoseconds
	ttft     int64 // nanoseconds to the first byte of an SSE answer; 0 before it
	asked    bool  // the answer will tell its usage
	sse      bool
	reading  bool // usage is looked for
	known    bool // tokens and cached are known
	usage    prompt.UsageReader
	tokens   int    // of the prompt, as the replica counts them
	cached   int    // of those, from its prefix cache
	served   string // the address that answered, where it is not the first choice
	complete bool
}

func (a *answer) begin(t int64, p *prompt.Prompt) {
	a.began, a.ttft, a.served = t, 0, ""
	a.sse, a.reading, a.known, a.complete = false, false, false, false
	// An SSE answer has usage only where the client asked for it; without, its chunks need not be read.
	a.asked = p != nil && (!p.Stream || p.IncludeUsage)
}

// append writes what is known to dst, as Decision.Append does.
func (a *answer) append(dst []byte) []byte {
	if a.served != "" {
		dst = append(dst, ";served="...)
		dst = append(dst, a.served...)
	}
	if a.ttft > 0 {
		dst = append(dst, ";ttft_ms="...)
		dst = strconv.AppendFloat(dst, float64(a.ttft)/1e6, 'f', 2, 64)
	}
	if a.known {
		dst = append(dst, ";prompt_tokens="...)
		dst = strconv.AppendInt(dst, int64(a.tokens), 10)
		dst = append(dst, ";cached_tokens="...)
		dst = strconv.AppendInt(dst, int64(a.cached), 10)
	}
	return dst
}

// OnHttpResponseHeaders notes who answered, and shows the decision where the configuration asks for it.
func (s *stream) OnHttpResponseHeaders(_ int, ends bool) types.Action {
	if s.phase != steered {
		return types.ActionContinue
	}
	s.noteServer()
	kind := responseHeader("content-type")
	a := &s.answer
	a.sse = strings.HasPrefix(kind, "text/event-stream")
	a.reading = a.asked && !ends && (a.sse || strings.Contains(kind, "json")) && responseHeader(":status") == "200"
	if a.reading {
		a.usage.Reset(a.sse)
	}
	if name := s.plugin.cfg.ResponseHeader; name != "" {
		setResponseHeader(name, string(s.describe()))
	}
	if ends {
		s.finish()
	}
	return types.ActionContinue
}

// noteServer moves the in-flight count where a retry went to another endpoint than the first.
func (s *stream) noteServer() {
	address := upstreamAddress()
	endpoints := s.plugin.router.Endpoints
	if address == "" || address == endpoints[s.endpoint].Address {
		return
	}
	s.answer.served = address
	for i := range endpoints {
		if endpoints[i].Address == address {
			s.letGo()
			s.hold(i)
			return
		}
	}
}

// OnHttpResponseBody measures the time to the first token and looks for the usage, chunk by chunk; nothing is held.
func (s *stream) OnHttpResponseBody(size int, ends bool) types.Action {
	if s.phase != steered {
		return types.ActionContinue
	}
	a := &s.answer
	if size > 0 && a.sse && a.ttft == 0 {
		a.ttft = max(now()-a.began, 1)
		s.plugin.metrics.firstByte(s.endpoint, a.ttft/1e6)
	}
	if size > 0 && a.reading {
		a.usage.Write(responseBody(size))
	}
	if ends {
		s.finish()
	}
	return types.ActionContinue
}

// OnHttpResponseTrailers ends an answer whose body ended in trailers.
func (s *stream) OnHttpResponseTrailers(int) types.Action {
	if s.phase == steered {
		s.finish()
	}
	return types.ActionContinue
}

// finish completes the decision's property with what the answer told.
func (s *stream) finish() {
	a := &s.answer
	if a.complete {
		return
	}
	a.complete = true
	if a.reading {
		a.usage.Close()
		if a.tokens, a.cached, a.known = a.usage.Cached(); a.known {
			s.plugin.metrics.usage(s.endpoint, a.tokens, a.cached)
		}
	}
	setDecisionProperty(s.describe())
}
