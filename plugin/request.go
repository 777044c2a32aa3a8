package main

import (
	"slices"

	"warmroute/plugin/inspect"
)

// readHeaders reads the headers in one call to the proxy, and removes those that steer.
func (s *stream) readHeaders() (h inspect.Head) {
	for _, pair := range requestHeaders() {
		name := pair[0]
		s.plugin.worker.Take(&h, name, pair[1])
		if slices.Contains(s.plugin.steering, name) {
			removeRequestHeader(name)
			s.plugin.metrics.removed.add(1)
		} else if name == s.plugin.cfg.PolicyHeader {
			removeRequestHeader(name)
		} else if s.plugin.ask != "" && name == s.plugin.cfg.AskHeader {
			h.Asks = same(pair[1], s.plugin.ask)
			removeRequestHeader(name)
		}
	}
	return h
}

// same compares with a secret, in a time that does not depend on how much of it is right.
func same(value, secret string) bool {
	differ := byte(0)
	for i := range min(len(value), len(secret)) {
		differ |= value[i] ^ secret[i]
	}
	return differ == 0 && len(value) == len(secret)
}
