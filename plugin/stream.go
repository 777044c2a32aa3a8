package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/metrics"
	"warmroute/plugin/proxy"
	"warmroute/plugin/why"
	"warmroute/plugin/worker"
)

// stream is one request: headers → body → decide → steer → response → done. Its memory is used for one request after the
// other; streamState begins from zero with each.
type stream struct {
	types.DefaultHttpContext
	streamState
	exchange worker.Exchange
}

type streamState struct {
	plugin  *plugin
	id      uint32
	phase   phase
	ended   bool
	whole   bool              // the request has ended
	behind  bool              // not all that the proxy showed last has been read
	kept    int               // bytes of the body that the proxy had kept before the part that came last
	shown   int               // and with it
	open    bool              // counted by the plugin's standby
	asks    bool              // it is another gateway's ask
	shows   bool              // the response is to have the decision's header
	awaited bool              // a gate may hold the request until the choice is made
	counted *metrics.Requests // those of its endpoint, once steered
	at      string            // its address

	// The watchdog's list.
	watched      bool
	held         int64 // when the request began to be held
	progress     int64
	older, newer *stream
}

type phase uint8

const (
	passing    phase = iota // not steered, or ended
	inspecting              // held until the prompt is known
	waiting                 // for room at an endpoint (waiting.go)
	steered                 // the decision is made and counted in flight
)

// OnHttpRequestHeaders removes steering headers that the client sent, and holds the request if its body has a prompt.
func (s *stream) OnHttpRequestHeaders(_ int, ends bool) types.Action {
	t := s.plugin.clock()
	if s.open = true; s.plugin.standby.Began(proxy.SharedData{}, t) && s.plugin.wake(t) != nil {
		return types.ActionContinue // it was ready before, so this cannot be
	}
	head, ask := s.readHeaders()
	if ask != "" && s.plugin.isAsked(head) {
		s.asks = true
		return s.plugin.answer(s.id, ask)
	}
	s.shows = head.Asks || s.plugin.cfg.AskHeader == ""
	s.whole, head.NoBody = ends, ends
	p := s.plugin
	if p.worker.ByCluster() {
		head.Cluster = proxy.RouteCluster()
	}
	verdict, code := s.exchange.Begin(p.worker, head)
	p.pace()
	switch verdict {
	case inspect.Pass:
		return s.pass(code)
	case inspect.ByLoad:
		return s.steer(true)
	}
	if p.watchdog.blind(t) {
		return s.steerByLoad(why.NoBodyShown)
	}
	s.phase, s.held = inspecting, t
	p.watchdog.watch(s, t)
	if p.cfg.Steer.Via == config.ViaProperty {
		s.await()
		return types.ActionContinue // to the filter that holds it: a buffer, or a gate
	}
	return types.ActionPause
}

// OnHttpRequestBody reads what has come, and decides when that is enough. After Continue the proxy forwards what it holds,
// even if more of the body is still to come.
func (s *stream) OnHttpRequestBody(size int, ends bool) types.Action {
	s.whole = ends
	if s.asks {
		return types.ActionPause
	}
	if s.phase == waiting {
		return s.waitAction()
	}
	if s.phase != inspecting {
		s.kept, s.shown = 0, 0
		if s.exchange.Reading() { // so that the next turn finds all of the prompt
			if s.read(0, size); ends || s.behind { // what is left out cannot be read later
				s.endBody()
			}
		}
		return types.ActionContinue
	}
	s.plugin.watchdog.sawBody()
	from, wait := s.exchange.Seen(), types.ActionPause
	if s.plugin.cfg.Steer.Via == config.ViaProperty {
		// Another filter holds the body, not this one, so that a route without it keeps its limits. Envoy then shows each
		// part alone.
		from, wait = 0, types.ActionContinue
	}
	s.kept, s.shown = from, size
	s.plugin.limits.holds(from, s.limit())
	enough := s.read(from, size)
	ends = ends || s.exchange.Arrived() // Envoy says so in a call of its own, without a body
	if s.behind && (enough || ends || wait == types.ActionContinue || size-s.exchange.Seen() > mostBehind) {
		s.exchange.Cut()
		return s.steer(true)
	}
	if !enough && !ends {
		if wait == types.ActionPause && s.overflows() {
			s.exchange.Cut()
			return s.steer(false)
		}
		t := s.plugin.clock()
		if t-s.held > s.plugin.cfg.DecideTimeout && s.exchange.Hasten() {
			return s.steer(false)
		}
		if s.heldLong(t) {
			return s.steerByLoad(why.Slow)
		}
		if s.exchange.Crowded() {
			return s.steerByLoad(why.Busy)
		}
		s.plugin.watchdog.watch(s, t)
		return wait
	}
	if ends && s.waits() {
		return s.waitAction()
	}
	return s.steer(ends)
}

// read takes what the proxy shows of the body, and says whether that is enough for a decision.
func (s *stream) read(from, size int) (enough bool) {
	s.behind = false
	for begun := -1; from < size && s.exchange.Reading(); {
		work := s.exchange.Work()
		if begun < 0 {
			begun = work
		}
		if s.behind = work-begun > mostWork; s.behind {
			break
		}
		piece := proxy.RequestBody(from, min(size-from, proxy.PieceBytes, s.exchange.Room()))
		if len(piece) == 0 {
			break // the proxy shows less than it announced
		}
		enough = s.exchange.Write(piece)
		from += len(piece)
	}
	return enough
}

// OnHttpRequestTrailers decides if the body ended with trailers: then OnHttpRequestBody never sees the end.
func (s *stream) OnHttpRequestTrailers(int) types.Action {
	s.whole = true
	if s.phase == waiting { // since its content-length had come
		return s.waitAction()
	}
	if s.phase == inspecting {
		if s.behind {
			s.exchange.Cut()
		} else if s.waits() {
			return s.waitAction()
		}
		return s.steer(true)
	}
	if s.asks {
		return types.ActionPause
	}
	s.endBody()
	return types.ActionContinue
}

// endBody ends the reading of a body that went on after the decision.
func (s *stream) endBody() {
	if s.exchange.Reading() && s.exchange.EndBody(s.plugin.clock()) {
		s.describe()
	}
}

// stalled stops holding a request that made no progress for the whole timeout; the tick calls it. A request whose body was
// never shown is resumed. One that waits in the middle of its body continues with its next part, or ends: if the tick
// resumed it, Envoy 1.40 would forward the part that it holds twice. One whose model says where it may go is held as long as one that
// comes slowly, where the proxy is known to show bodies.
func (s *stream) stalled(t int64) {
	p := s.plugin
	if s.exchange.LacksModel() {
		if (p.watchdog.proven || s.exchange.Seen() > 0) && !s.heldLong(t) {
			p.watchdog.watch(s, t)
			return
		}
		p.metrics.Modelless()
	}
	paused := s.exchange.Seen() == 0 && p.cfg.Steer.Via == config.ViaHeader
	if s.awaited {
		s.awaited = proxy.Enter(s.id) // this is the tick's callback
	}
	s.pass(why.Stalled)
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
	proxy.Resume(s.id)
}

// OnHttpStreamDone releases everything, in whatever way the stream ended. The context is used again.
func (s *stream) OnHttpStreamDone() {
	if s.ended {
		return
	}
	s.ended = true
	if s.asks {
		dropAsk(s.id)
	}
	s.plugin.watchdog.forget(s)
	if s.phase == waiting {
		s.leaveWaiting()
	}
	if s.phase == steered && s.exchange.Told() {
		s.plugin.clock()
		s.complete()
	}
	if s.notSent() {
		s.exchange.NotSent()
	}
	s.release(!s.brokenOff())
	if s.open {
		s.plugin.standby.Ended(s.plugin.seen)
	}
	if s.plugin.gone {
		s.plugin.flushMetrics()
		if s.plugin.worker != nil && s.plugin.standby.Idle() {
			s.plugin.worker.Doze(s.plugin.seen)
		}
	}
	s.plugin.giveStream(s)
}
