package config

import (
	"cmp"

	"warmroute/plugin/prompt"
)

const (
	// usualLimit is what the examples let a proxy hold of a body, in bytes: the route's request_body_buffer_limit, and the limit of the
	// buffer filter, which refuses larger bodies.
	usualLimit = 4 << 20

	// OneRead is how much the proxy may hold beyond what was read when it was to go on, in bytes: Envoy's reads are no longer.
	OneRead = 1 << 20
)

// HoldBytes is how much of a body is read before the decision, at most, but for its model.
//
//go:noinline
func (c *Config) HoldBytes() int {
	if c.ScanBytes == 0 && c.Steer.Via == ViaProperty {
		return usualLimit
	}
	return cmp.Or(c.ScanBytes, prompt.DefaultHoldBytes)
}

// ModelBytes is how long a body may be whose model is waited for to its end: as long as the proxy can hold, by what the settings ask of
// it. Of a longer one, or one whose length is not known, OneRead less is read.
//
//go:noinline
func (c *Config) ModelBytes() int {
	most := c.HoldBytes() + OneRead
	if c.ScanBytes == 0 {
		most = max(most, usualLimit)
	}
	return most
}
