package main

import (
	"slices"

	"warmroute/plugin/gossip"
	"warmroute/plugin/inspect"
	"warmroute/plugin/proxy"
)

// readHeaders reads the headers in one call to the proxy, and removes those that steer. The head is valid until the next call. ask is
// another gateway's.
func (s *stream) readHeaders() (h *inspect.Head, ask string) {
	h = &s.plugin.head
	*h = inspect.Head{}
	for _, pair := range proxy.RequestHeaders() {
		name := pair[0]
		s.plugin.worker.Take(h, name, pair[1])
		if name == gossip.Header {
			ask = pair[1]
		}
		if slices.Contains(s.plugin.steering, name) {
			proxy.RemoveRequestHeader(name)
			s.plugin.metrics.Removed()
		} else if name == s.plugin.cfg.PolicyHeader {
			proxy.RemoveRequestHeader(name)
		} else if s.plugin.ask != "" && name == s.plugin.cfg.AskHeader {
			h.Asks = same(pair[1], s.plugin.ask)
			proxy.RemoveRequestHeader(name)
		}
	}
	return h, ask
}

// same compares with a secret, in a time that does not depend on how much of it is right.
func same(value, secret string) bool {
	differ := byte(0)
	for i := range min(len(value), len(secret)) {
		differ |= value[i] ^ secret[i]
	}
	return differ == 0 && len(value) == len(secret)
}

// holdTimeouts × decide_timeout is the longest that a request is held, however slowly its body comes; one decide_timeout, where half of
// max_inspecting are: slow clients must not use it up.
const holdTimeouts = 10

// heldLong says whether the request was held for longer than that.
func (s *stream) heldLong(t int64) bool {
	s.held = min(s.held, t) // the clock may have been set back
	longest := s.plugin.cfg.DecideTimeout
	if !s.exchange.Filling() {
		longest *= holdTimeouts
	}
	return t-s.held > longest
}
