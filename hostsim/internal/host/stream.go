package host

import (
	"slices"
	"strings"
)

// A Stream is one HTTP request and its response on their way through the module. The caller acts as client and upstream:
// it passes in the parts of the request and of the response as they arrive, and reads what the module let through.
// Parts that come when the stream is over are ignored.
type Stream struct {
	vm      *VM
	root    *root
	id      uint32
	created bool

	request, response half
	state             map[string]string // filter state, by its full name

	logging bool // in proxy_on_log
	closed  bool
	reset   bool
	local   bool
	bypass  bool // the VM is dead and fails open
	details string
}

// NewStream opens a stream on worker, 0 … Workers-1. The module learns of it with the request's headers.
func (p *Proxy) NewStream(worker int) *Stream { return p.NewStreamOf(0, worker) }

// NewStreamOf opens a stream of the filter of that number.
func (p *Proxy) NewStreamOf(plugin, worker int) *Stream {
	p.enter(func() { p.reload(worker) })
	vm := p.workers[worker].vm
	s := &Stream{vm: vm, root: vm.rootOf(p.plugins[plugin]), bypass: vm.dead != nil && p.config.FailurePolicy == FailOpen}
	s.request = half{s: s, fn: &vm.fn.request}
	s.response = half{s: s, fn: &vm.fn.response, isResponse: true}
	return s
}

// reload gives the worker another VM under FailReload.
func (p *Proxy) reload(worker int) {
	w := &p.workers[worker]
	if w.vm.dead == nil || p.config.FailurePolicy != FailReload || p.clock.now < w.nextReload || p.closed {
		return
	}
	w.nextReload = p.clock.now + p.config.ReloadBackoff
	vm, err := p.newVM(worker)
	if err == nil {
		err = w.vm.mod.Close(p.ctx)
		w.vm = vm
	}
	if err != nil {
		p.logAt(worker, LevelCritical, "reload: "+err.Error())
	}
}

// create tells the module of the stream; it is false if the module trapped on that.
func (s *Stream) create() bool {
	if s.vm.dead != nil {
		return true
	}
	s.created = true
	s.id = s.vm.nextID
	s.vm.nextID++
	s.vm.streams[s.id] = s
	if create := s.vm.fn.contextCreate; create != nil {
		_, alive := s.vm.call(create, s.id, s.id, s.root.id)
		return alive
	}
	return true
}

// RequestHeaders is the arrival of the request's headers; end says that there is no body and no trailers.
func (s *Stream) RequestHeaders(headers Headers, end bool) {
	s.vm.proxy.enter(func() {
		if s.request.seen || s.closed {
			return
		}
		if !s.create() {
			s.fail()
			return
		}
		s.request.begin(headers.lowered(), end)
	})
}

// RequestBody is the arrival of a part of the request's body, which the host keeps and must not be changed any more;
// end says that nothing follows.
func (s *Stream) RequestBody(chunk []byte, end bool) {
	s.vm.proxy.enter(func() { s.request.data(chunk, end) })
}

// RequestTrailers is the end of a request that has trailers; no part of its body had end set.
func (s *Stream) RequestTrailers(trailers Headers) {
	s.vm.proxy.enter(func() { s.request.finish(trailers.lowered()) })
}

// ResponseHeaders is the arrival of the upstream's headers, with ":status"; end says that there is no body.
func (s *Stream) ResponseHeaders(headers Headers, end bool) {
	s.vm.proxy.enter(func() { s.response.begin(headers.lowered(), end) })
}

// ResponseBody is RequestBody for the upstream's response.
func (s *Stream) ResponseBody(chunk []byte, end bool) {
	s.vm.proxy.enter(func() { s.response.data(chunk, end) })
}

// ResponseTrailers is RequestTrailers for the upstream's response.
func (s *Stream) ResponseTrailers(trailers Headers) {
	s.vm.proxy.enter(func() { s.response.finish(trailers.lowered()) })
}

// Cancel is the client's or the upstream's reset of the stream.
func (s *Stream) Cancel() {
	s.vm.proxy.enter(s.abort)
}

func (s *Stream) abort() {
	if !s.closed {
		s.reset = true
		s.end()
	}
}

// end tells the module that the stream is over.
func (s *Stream) end() {
	if s.closed {
		return
	}
	s.closed = true
	if !s.created {
		return
	}
	vm := s.vm
	if log := vm.fn.log; log != nil && vm.dead == nil && (s.reset || !vm.proxy.config.HTTP3) {
		s.logging = true
		vm.call(log, s.id, s.id)
		s.logging = false
	}
	if done := vm.fn.done; done != nil && vm.dead == nil {
		vm.call(done, s.id, s.id)
	}
	if del := vm.fn.delete; del != nil && vm.dead == nil {
		vm.call(del, s.id, s.id)
	}
	delete(vm.streams, s.id)
}

// fail ends a stream whose VM has trapped.
func (s *Stream) fail() {
	if s.closed {
		return
	}
	if s.response.out.Started {
		s.reset = true
		s.end()
		return
	}
	s.direct(reply{code: 503, details: "wasm_fail_stream"})
}

// Upstream is the request as it left the proxy so far.
func (s *Stream) Upstream() *Message { return &s.request.out }

// Downstream is the response as it left the proxy so far, whether the upstream's or a local reply.
func (s *Stream) Downstream() *Message { return &s.response.out }

// Closed says that the stream is over: answered in full, reset or failed.
func (s *Stream) Closed() bool { return s.closed }

// Reset says that the stream ended without a complete response.
func (s *Stream) Reset() bool { return s.reset }

// Local says that the response is a local reply: the module's, or the proxy's own for a failure or a limit.
func (s *Stream) Local() bool { return s.local }

// Details is the response code details of a local reply or a close, as in Envoy's access log; else empty.
func (s *Stream) Details() string { return s.details }

// RequestPaused says that part of the request is held back.
func (s *Stream) RequestPaused() bool { return !s.closed && s.request.paused != running }

// ResponsePaused says that part of the response is held back.
func (s *Stream) ResponsePaused() bool { return !s.closed && s.response.paused != running }

// Backpressured says that more of the request's body is held back than Config.BodyLimit, in a way that makes Envoy stop
// reading from the client: a real client's upload would stand still until the module resumes it.
func (s *Stream) Backpressured() bool {
	return s.RequestPaused() && !s.request.limited && len(s.request.buffer) > s.vm.proxy.config.BodyLimit
}

// ID is the stream's context id in its VM; 0 before the module has learned of it.
func (s *Stream) ID() uint32 { return s.id }

// VM is the VM that handles the stream, dead or alive.
func (s *Stream) VM() *VM { return s.vm }

// FilterState is a value that the module set with proxy_set_property, under Envoy's name for it: "wasm." and the
// property's path.
func (s *Stream) FilterState(name string) (value string, found bool) {
	value, found = s.state[name]
	return value, found
}

// FilterStateNames are the names set so far, sorted.
func (s *Stream) FilterStateNames() []string {
	names := make([]string, 0, len(s.state))
	for name := range s.state {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// splitPath cuts a property's path at its NULs.
func splitPath(path string) []string {
	return strings.Split(strings.TrimSuffix(path, "\x00"), "\x00")
}
