package main

import (
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/clusters"
	"warmroute/plugin/proxy"
	"warmroute/plugin/worker"
)

// OnHttpResponseHeaders records which endpoint responded, and shows the decision if the configuration says so.
func (s *stream) OnHttpResponseHeaders(_ int, ends bool) types.Action {
	if s.phase != steered {
		if s.phase == inspecting || s.kept > 0 {
			s.learnLimit()
		}
		return types.ActionContinue
	}
	status, kind, upstream := proxy.ResponseHead()
	details := ""
	if status >= 400 || !upstream {
		details = proxy.ResponseDetails()
	}
	if details == tooLarge && s.kept > 0 {
		s.learnLimit()
	}
	from, status := s.server(status, details)
	if ends || from.Address != s.exchange.Server() { // else the time is not needed
		s.plugin.clock()
	}
	s.exchange.Headers(from, status, kind, s.plugin.seen)
	s.count()
	if name := s.plugin.cfg.ResponseHeader; name != "" && s.shows {
		proxy.SetResponseHeader(name, s.exchange.Describe())
	}
	if ends {
		s.complete()
	}
	return types.ActionContinue
}

// server is the endpoint that responded, and the response's status. The number of attempts is read only if it was not the first choice, and the client only
// where an endpoint has failed. A request that the proxy's circuit breaker refused has not reached any endpoint, and an error of the proxy's own says
// nothing of the one that the request had gone to.
func (s *stream) server(status int, details string) (from worker.Server, given int) {
	if strings.Contains(details, "overflow") || s.isOwn(details) {
		return from, status
	}
	if status = unmapped(status, details); status >= 400 {
		refused := strings.Contains(details, "connect") && !strings.Contains(details, "termination")
		from.Replied = details != "" && !refused
	}
	if from.Address = s.upstream(); from.Address != s.exchange.Server() {
		from.Attempts = proxy.UpstreamAttempts()
	}
	if status >= 500 || from.Attempts > 1 {
		from.Client = client()
	}
	return from, status
}

// upstream is the address that the request is at.
//
//go:noinline
func (s *stream) upstream() string {
	usual := s.exchange.Server()
	if address := clusters.AddressOf(proxy.Upstream()); !bytestr.Equal(address, usual) {
		return string(address)
	}
	return usual
}

// Details of a response (StreamInfo::ResponseCodeDetails in envoy/stream_info/stream_info.h).
const (
	viaUpstream = "via_upstream"
	tooLarge    = "request_payload_too_large"
)

// isOwn says whether a response is of the proxy or one of its filters, by its details: neither the endpoint's nor of one that cannot be reached or is
// waited for in vain. In the middle of an upload, which has an endpoint by then, a client makes it answer 400 or 408, and a filter that fails there 500.
func (s *stream) isOwn(details string) bool {
	switch details {
	case "", viaUpstream, "no_healthy_upstream", "response_timeout":
		return false
	case "stream_idle_timeout", "max_duration_timeout", "duration_timeout":
		return !s.whole // 408, and else 504
	}
	return !strings.HasPrefix(details, "upstream_")
}

// unmapped is the status that the proxy gives in an endpoint's place, whatever local_reply_config makes of it: where that is 429 or 200, an endpoint
// that is dead would seem to answer.
func unmapped(status int, details string) int {
	switch {
	case details == "" || details == viaUpstream:
		return status
	case strings.Contains(details, "timeout") || strings.Contains(details, "duration"):
		return 504
	}
	return 503
}

// client is the address that the request came from, hashed; 0: not known.
func client() uint64 {
	if address := proxy.ClientAddress(); len(address) > 0 {
		return bytestr.Hash(0, address)
	}
	return 0
}

// OnHttpResponseBody measures the time to the first token and looks for the usage, chunk by chunk; nothing is held.
func (s *stream) OnHttpResponseBody(size int, ends bool) types.Action {
	if s.phase != steered {
		return types.ActionContinue
	}
	if ends || size > 0 && s.exchange.AwaitsPart() {
		s.plugin.clock()
	}
	if size > 0 {
		first := !s.exchange.Opening() && s.exchange.Chunk(s.plugin.seen)
		for from := 0; from < size && (s.exchange.Opening() || s.exchange.Reads()); from += proxy.PieceBytes {
			piece := proxy.ResponseBody(from, min(size-from, proxy.PieceBytes))
			if s.exchange.Opening() && !s.exchange.Opens(piece) {
				first = s.exchange.Chunk(s.plugin.seen)
			}
			s.exchange.Read(piece)
		}
		if first && s.exchange.TTFT() > 0 {
			s.counted.FirstToken(s.exchange.TTFT())
			s.plugin.metrics.Of(s.exchange.Pool()).FirstToken(&s.exchange)
		}
	}
	if ends {
		s.complete()
	}
	return types.ActionContinue
}

// OnHttpResponseTrailers ends a response whose body ended with trailers.
func (s *stream) OnHttpResponseTrailers(int) types.Action {
	if s.phase == steered {
		s.plugin.clock()
		s.complete()
	}
	return types.ActionContinue
}

// complete adds what the response showed to the decision's property. The callback has read the clock.
func (s *stream) complete() {
	s.exchange.Complete()
	if tokens, cached, known := s.exchange.Usage(); known {
		s.counted.Usage(tokens, cached, s.exchange.Decision().ExpectedTokens())
	}
	s.describe()
	s.release(false)
}

// brokenOff says whether a response that had begun was broken off by its endpoint, or on the way from it. Else its client has left: the end of
// a stream is the same for both, and only the proxy's details differ.
func (s *stream) brokenOff() bool {
	if s.phase != steered || !s.exchange.Responding() || !strings.HasPrefix(proxy.ResponseDetails(), "upstream_reset_after_response_started") {
		return false
	}
	s.exchange.Blame(client())
	return true
}

// notSent says whether the request, of which no response has come, is not at the endpoint where it is counted: it waited for a connection, or was tried
// elsewhere, when its client left. Nothing of its prompt was begun there.
func (s *stream) notSent() bool {
	return s.phase == steered && (len(proxy.Property("upstream\x00local_address")) == 0 || s.upstream() != s.exchange.Server())
}

// release takes the request out of all counts; left says that its client did not wait for the end. Callbacks after the end, such as
// for trailers that another filter has added, are ignored.
func (s *stream) release(left bool) {
	s.phase = passing
	open := s.exchange.Open()
	if open && !s.exchange.Finished() {
		s.plugin.clock() // nothing else has read it in this callback
	}
	s.exchange.End(s.plugin.seen, left)
	if open {
		s.counted.Ended(s.exchange.Ending())
		s.plugin.metrics.Of(s.exchange.Pool()).Ended(&s.exchange)
		s.counted = nil
	}
}
