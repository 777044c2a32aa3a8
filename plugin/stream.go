package main

import (
	"slices"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/route"
)

// stream is one request: headers → body → decide → steer → response → done.
type stream struct {
	types.DefaultHttpContext
	plugin *plugin
	id     uint32
	phase  phase
	ended  bool
	shows  bool // the answer is to have the response header

	reading *inspect.Reading // while inspecting
	byLoad  route.Request    // what is asked of the router without a prompt

	decision route.Decision
	answer   inspect.Answer
	counted  *atEndpoint // where it is

	// The watchdog's list.
	watched      bool
	held         int64 // since when the request is held
	progress     int64
	older, newer *stream
}

// holdTimeouts of decide_timeout are the longest that a request is held, however its body trickles in: a few slow
// clients must not use up max_inspecting.
const holdTimeouts = 10

type phase uint8

const (
	passing    phase = iota // not ours, or no longer
	inspecting              // held until the prompt is known
	steered                 // the decision is made and counted in flight
)

// OnHttpRequestHeaders removes steering headers that the client sent, and holds the request if its body has a prompt.
func (s *stream) OnHttpRequestHeaders(_ int, ends bool) types.Action {
	head := s.readHeaders()
	s.shows = head.Asks || s.plugin.cfg.AskHeader == ""
	head.NoBody = ends
	p := s.plugin
	reading, verdict, why := p.inspector.Begin(&head)
	switch verdict {
	case inspect.Pass:
		return s.pass(why)
	case inspect.ByLoad:
		return s.routeByLoad(why)
	}
	t := now()
	if p.watchdog.blind(t) {
		p.inspector.End(reading)
		return s.routeByLoad("no_body_shown")
	}
	s.reading, s.phase, s.held = reading, inspecting, t
	p.watchdog.watch(s, t)
	if p.cfg.Steer.Via == config.ViaProperty {
		return types.ActionContinue // to the buffer filter, which waits for the body
	}
	return types.ActionPause
}

// readHeaders takes what is needed in one call to the proxy, and removes what only warmroute may say.
func (s *stream) readHeaders() (h inspect.Head) {
	for _, pair := range requestHeaders() {
		name := pair[0]
		s.plugin.inspector.Take(&h, name, pair[1])
		if slices.Contains(s.plugin.steering, name) {
			removeRequestHeader(name)
			s.plugin.metrics.removed.add(1)
		}
	}
	return h
}

// OnHttpRequestBody reads what has come, and decides when that is enough. Held data is forwarded by returning
// Continue, however much of the body is still to come.
func (s *stream) OnHttpRequestBody(size int, ends bool) types.Action {
	if s.phase != inspecting {
		s.readOn(size, ends)
		return types.ActionContinue
	}
	s.plugin.watchdog.sawBody()
	from, wait := s.reading.Seen(), types.ActionPause
	if s.plugin.cfg.Steer.Via == config.ViaProperty {
		// The buffer filter is who holds, so that a route without one keeps its limits: Envoy shows each part alone.
		from, wait = 0, types.ActionContinue
	}
	enough := s.read(from, size)
	if !enough && !ends {
		t := now()
		s.held = min(s.held, t) // the clock may have been set back
		if t-s.held > holdTimeouts*s.plugin.cfg.DecideTimeout {
			return s.routeByLoad("slow")
		}
		s.plugin.watchdog.watch(s, t)
		return wait
	}
	return s.steer(s.reading.Request(), ends)
}

// read takes what the proxy shows of the body, and says whether that is enough for a decision.
func (s *stream) read(from, size int) (enough bool) {
	for from < size {
		piece := requestBody(from, min(size-from, pieceBytes))
		if len(piece) == 0 {
			break // the proxy shows less than it said
		}
		enough = s.reading.Write(piece)
		from += len(piece)
	}
	return enough
}

// readOn reads what streams by after the decision, so that the next turn finds all of the prompt.
func (s *stream) readOn(size int, ends bool) {
	if s.reading == nil {
		return
	}
	s.read(0, size)
	if ends {
		s.endBody()
	}
}

// endBody ends the reading after the decision.
func (s *stream) endBody() {
	if whole := s.reading.Whole(); whole != nil {
		s.answer.Extend(whole, now())
		setDecisionProperty(s.answer.Describe())
	}
	s.leaveInspection()
}

// OnHttpRequestTrailers decides where a body ended in trailers: its callback then never sees the end.
func (s *stream) OnHttpRequestTrailers(int) types.Action {
	switch {
	case s.phase == inspecting:
		return s.steer(s.reading.Request(), true)
	case s.reading != nil:
		s.endBody()
	}
	return types.ActionContinue
}

// routeByLoad decides without a prompt.
func (s *stream) routeByLoad(why string) types.Action {
	s.byLoad = route.Request{Why: why}
	s.leaveInspection()
	return s.steer(&s.byLoad, true)
}

// steer decides for req, tells Envoy, and counts the request in flight; whole says that the body has ended.
func (s *stream) steer(req *route.Request, whole bool) types.Action {
	p, began := s.plugin, now()
	if p.cfg.Steer.Target == config.TargetHash {
		if why := s.answer.DecideKey(p.inspector, req, &s.decision, began); why != "" {
			return s.pass(why)
		}
	} else if !s.answer.Decide(p.router, p.board, req, &s.decision, began) {
		return s.pass("no_endpoints")
	}
	s.phase = steered
	s.count()
	s.counted.requests.add(s.decision.Reason.String())
	switch {
	case p.cfg.Steer.Via == config.ViaHeader:
		setRequestHeader(p.cfg.Steer.Header, s.answer.Steering(&p.cfg))
	case p.cfg.Steer.Target == config.TargetHash:
		setSteeringProperty(keyPath, s.answer.Steering(&p.cfg))
	default:
		setSteeringProperty(endpointPath, s.answer.Steering(&p.cfg))
	}
	p.metrics.decided(now() - began)
	if p.shadow != nil {
		if o := s.answer.DecideShadow(p.shadow, req, began); o != nil {
			p.metrics.shadow.count(o)
		}
	}
	setDecisionProperty(s.answer.Describe())
	s.plugin.watchdog.forget(s)
	if s.reading != nil && (whole || req.Prompt == nil) {
		s.endBody()
	}
	return types.ActionContinue
}

// count notes where the request is.
func (s *stream) count() { s.counted = s.plugin.metrics.at(s.answer.Address()) }

// pass is the one exit for a request that goes on unsteered, to the proxy's own load balancing.
func (s *stream) pass(why string) types.Action {
	s.leaveInspection()
	s.phase = passing
	s.plugin.metrics.passed.add(why)
	return types.ActionContinue
}

// stalled gives up a request that was held for the whole timeout without progress, from the tick. One whose body was
// never shown is resumed. One that waits in the middle of its body goes on by itself with the next part, or ends:
// resumed from here, Envoy 1.40 would forward the part that it holds twice.
func (s *stream) stalled(t int64) {
	p := s.plugin
	paused := s.reading.Seen() == 0 && p.cfg.Steer.Via == config.ViaHeader
	s.pass("stalled")
	if !paused {
		p.warn(t, "a held request's body made no progress for decide_timeout; it goes on unrouted")
		return
	}
	if p.watchdog.sawNone(t) {
		p.warn(t, "a held request was never shown its body and goes on unrouted; if this is every request, "+
			"the filter's config lacks allow_on_headers_stop_iteration: true (Envoy 1.35 or newer)")
	} else {
		p.warn(t, "a held request's client sent no body for decide_timeout; it goes on unrouted")
	}
	resume(s.id)
}

// leaveInspection gives back what only a held request needs.
func (s *stream) leaveInspection() {
	s.plugin.watchdog.forget(s)
	if s.reading != nil {
		s.plugin.inspector.End(s.reading)
		s.reading = nil
	}
}

// OnHttpStreamDone releases everything, however the stream ended. The context itself is used again.
func (s *stream) OnHttpStreamDone() {
	if s.ended {
		return // it may serve another request by now
	}
	s.ended = true
	s.leaveInspection()
	s.release(true)
	s.plugin.giveStream(s)
}
