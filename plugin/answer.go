package main

import (
	"strconv"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/inspect"
)

// OnHttpResponseHeaders notes who answered, and shows the decision where the configuration asks for it.
func (s *stream) OnHttpResponseHeaders(_ int, ends bool) types.Action {
	if s.phase != steered {
		return types.ActionContinue
	}
	status, _ := strconv.Atoi(responseHeader(":status")) // 0 says nothing
	s.answer.Headers(s.server(status), status, responseHeader("content-type"), now())
	s.count()
	if name := s.plugin.cfg.ResponseHeader; name != "" && s.shows {
		setResponseHeader(name, string(s.answer.Describe()))
	}
	if ends {
		s.complete()
	}
	return types.ActionContinue
}

// server is who answered. How many attempts that took is asked only where it was not the first choice. Of a request that
// the proxy's circuit breaker refused, the endpoint has never heard.
func (s *stream) server(status int) inspect.Server {
	if status == 503 && overflowed() {
		return inspect.Server{}
	}
	from := inspect.Server{Address: upstreamAddress()}
	if from.Address != s.answer.Address() {
		from.Attempts = upstreamAttempts()
	}
	return from
}

// OnHttpResponseBody measures the time to the first token and looks for the usage, chunk by chunk; nothing is held.
func (s *stream) OnHttpResponseBody(size int, ends bool) types.Action {
	if s.phase != steered {
		return types.ActionContinue
	}
	if size > 0 {
		if first := s.answer.Chunk(now()); first {
			s.counted.ttft.record(uint64(s.answer.TTFT() / 1e6))
		}
		for from := 0; from < size && s.answer.Reads(); from += pieceBytes {
			s.answer.Read(responseBody(from, min(size-from, pieceBytes)))
		}
	}
	if ends {
		s.complete()
	}
	return types.ActionContinue
}

// OnHttpResponseTrailers ends an answer whose body ended in trailers.
func (s *stream) OnHttpResponseTrailers(int) types.Action {
	if s.phase == steered {
		s.complete()
	}
	return types.ActionContinue
}

// complete finishes the decision's property with what the answer told.
func (s *stream) complete() {
	s.answer.Complete()
	if tokens, cached, known := s.answer.Usage(); known {
		s.counted.usage(tokens, cached, s.decision.ExpectedTokens())
	}
	setDecisionProperty(s.answer.Describe())
	s.release(false)
}

// release takes the request out of all counts; left means that it did not come to its end. What comes behind the end, such
// as trailers that another filter has added, is no longer ours.
func (s *stream) release(left bool) {
	s.phase = passing
	if s.answer.Open() {
		s.answer.End(now(), left)
		s.counted.count(answersTotal, outcomes[s.answer.Ending()])
		s.counted = nil
	}
}
