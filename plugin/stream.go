package main

import (
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
)

// stream is one request: headers → body → decide → steer → response → done.
type stream struct {
	types.DefaultHttpContext
	plugin *plugin
	id     uint32
	phase  phase

	scanner *prompt.Scanner // while inspecting
	seen    int             // body bytes given to the scanner
	tenant  []byte

	decision route.Decision
	endpoint int // that holds this request's in-flight count, while steered
	answer   answer

	// The watchdog's list.
	watched      bool
	progress     int64
	older, newer *stream
}

type phase uint8

const (
	passing    phase = iota // not ours, or no longer
	inspecting              // held until the prompt is known
	steered                 // the decision is made and counted in flight
)

// heading is what the request's headers say.
type heading struct {
	method, path, contentType, contentEncoding, tenant string
}

// OnHttpRequestHeaders removes steering headers that the client sent, and holds the request if its body has a prompt.
func (s *stream) OnHttpRequestHeaders(_ int, ends bool) types.Action {
	h := s.readHeaders()
	if h.method != "POST" {
		return s.pass("not_post")
	}
	format, pointer := s.plugin.paths.Match(h.path)
	if format == prompt.None {
		return s.pass("not_llm")
	}
	s.tenant = append(s.tenant[:0], h.tenant...)
	if why := s.unreadable(&h, format, ends); why != "" {
		return s.steer(&route.Request{Why: why})
	}
	s.scanner = s.plugin.takeScanner()
	s.scanner.Reset(format, pointer)
	s.seen, s.phase = 0, inspecting
	s.plugin.watchdog.watch(s, now())
	return types.ActionPause
}

// readHeaders takes what is needed in one call to the proxy.
func (s *stream) readHeaders() (h heading) {
	for _, pair := range requestHeaders() {
		name, value := pair[0], pair[1]
		switch name {
		case ":method":
			h.method = value
		case ":path":
			h.path = value
		case "content-type":
			h.contentType = value
		case "content-encoding":
			h.contentEncoding = value
		case s.plugin.cfg.TenantHeader:
			h.tenant = value
		}
		for _, forged := range s.plugin.steering {
			if name == forged {
				removeRequestHeader(name)
				s.plugin.metrics.removedHeader()
			}
		}
	}
	return h
}

// unreadable says why the body is not worth holding the request for; "" when it is.
func (s *stream) unreadable(h *heading, format prompt.Format, ends bool) string {
	w := &s.plugin.watchdog
	switch {
	case format == prompt.ByLoad:
		return "no_prompt"
	case ends:
		return "no_body"
	case !strings.Contains(h.contentType, "json"):
		return "not_json"
	case h.contentEncoding != "" && h.contentEncoding != "identity":
		return "encoded"
	case w.paused >= s.plugin.cfg.MaxInspecting:
		return "busy"
	case w.blindUntil != 0 && now() < w.blindUntil:
		return "no_body_shown"
	}
	return ""
}

// OnHttpRequestBody scans what has come, and decides when that is enough. Held data is forwarded by returning
// Continue, however much of the body is still to come.
func (s *stream) OnHttpRequestBody(size int, ends bool) types.Action {
	if s.phase != inspecting {
		return types.ActionContinue
	}
	s.plugin.watchdog.sawBody()
	status := prompt.More
	if size > s.seen {
		status = s.scanner.Write(requestBody(s.seen, size-s.seen))
		s.seen = size
	}
	if ends && status == prompt.More {
		status = s.scanner.Close()
	}
	if status == prompt.More {
		s.plugin.watchdog.watch(s, now())
		return types.ActionPause
	}
	return s.decide(status)
}

// OnHttpRequestTrailers decides where a body ended in trailers: its callback then never sees the end.
func (s *stream) OnHttpRequestTrailers(int) types.Action {
	if s.phase != inspecting {
		return types.ActionContinue
	}
	return s.decide(s.scanner.Close())
}

// decide picks by what the scanner found.
func (s *stream) decide(status prompt.Status) types.Action {
	req := route.Request{Tenant: s.tenant}
	if status == prompt.Ready {
		req.Prompt = s.scanner.Prompt()
	} else {
		req.Why = s.scanner.Why()
	}
	return s.steer(&req)
}

// steer picks endpoints for req, tells Envoy, and counts the request in flight.
func (s *stream) steer(req *route.Request) types.Action {
	p := s.plugin
	p.router.Pick(req, &s.decision)
	s.answer.begin(now(), req.Prompt)
	s.leaveInspection()
	s.phase = steered
	s.hold(s.decision.Order[0])
	p.metrics.steered(s.endpoint, s.decision.Reason)
	setRequestHeader(p.cfg.Steer.Header, s.steeringValue())
	setDecisionProperty(s.describe())
	return types.ActionContinue
}

// steeringValue is the first endpoint's cluster, or the addresses of all in order.
func (s *stream) steeringValue() string {
	endpoints := s.plugin.router.Endpoints
	if s.plugin.cfg.Steer.Target == config.TargetCluster {
		return endpoints[s.decision.Order[0]].Cluster
	}
	var list strings.Builder
	for i, e := range s.decision.Order {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(endpoints[e].Address)
	}
	return list.String()
}

// describe is the decision and, once known, what became of it.
func (s *stream) describe() []byte {
	return s.answer.append(s.decision.Append(nil, s.plugin.router.Endpoints))
}

// pass is the one exit for a request that goes on unsteered, to the proxy's own load balancing.
func (s *stream) pass(why string) types.Action {
	s.leaveInspection()
	s.phase = passing
	s.plugin.metrics.pass(why)
	return types.ActionContinue
}

// stalled lets a request go that was held for the whole timeout without progress, from the tick.
func (s *stream) stalled(t int64) {
	p := s.plugin
	if s.seen == 0 {
		p.watchdog.sawNone(t)
		p.warn(t, "a held request was never shown its body and goes on unrouted; if this is every request, "+
			"the filter's config lacks allow_on_headers_stop_iteration: true (Envoy 1.35 or newer)")
	} else {
		p.warn(t, "a held request's body made no progress for decide_timeout and goes on unrouted")
	}
	s.pass("stalled")
	resume(s.id)
}

// hold counts the request in flight at endpoint.
func (s *stream) hold(endpoint int) {
	s.endpoint = endpoint
	s.plugin.router.Load.Acquire(endpoint)
	s.plugin.metrics.moved(endpoint, 1)
}

// letGo ends what hold began.
func (s *stream) letGo() {
	s.plugin.router.Load.Release(s.endpoint)
	s.plugin.metrics.moved(s.endpoint, -1)
}

// leaveInspection gives back what only a held request needs.
func (s *stream) leaveInspection() {
	s.plugin.watchdog.forget(s)
	if s.scanner != nil {
		s.plugin.giveScanner(s.scanner)
		s.scanner = nil
	}
}

// OnHttpStreamDone releases everything, however the stream ended. The context itself is used again.
func (s *stream) OnHttpStreamDone() {
	s.leaveInspection()
	if s.phase == steered {
		s.letGo()
	}
	s.phase = passing
	s.plugin.giveStream(s)
}
