package inspect

import (
	"cmp"

	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
)

const (
	// usualLimit is what the examples let a proxy hold of a body, in bytes: the route's request_body_buffer_limit, and the limit of the
	// buffer filter, which refuses larger bodies.
	usualLimit = 4 << 20

	// oneRead is how much the proxy may hold beyond what was read when it was to go on, in bytes: Envoy's reads are no longer.
	oneRead = 1 << 20
)

// HoldBytes is how much of a body is read before the decision, at most, but for its model.
//
//go:noinline
func HoldBytes(cfg *config.Config) int {
	if cfg.ScanBytes == 0 && cfg.Steer.Via == config.ViaProperty {
		return usualLimit
	}
	return cmp.Or(cfg.ScanBytes, prompt.DefaultHoldBytes)
}

// ModelBytes is how long a body may be whose model is waited for to its end: as long as the proxy can hold, by what the settings ask of
// it. Of a longer one, or one whose length is not known, oneRead less is read.
//
//go:noinline
func ModelBytes(cfg *config.Config) int {
	most := HoldBytes(cfg) + oneRead
	if cfg.ScanBytes == 0 {
		most = max(most, usualLimit)
	}
	return most
}

// LacksModel says that the model has not come, and that the choice depends on it: it says which pool the request is in, or the endpoints
// of its pool serve different models. OpenAI's client for Python writes the model behind the messages.
//
//go:noinline
func (r *Reading) LacksModel() bool {
	in := r.inspector
	return len(r.Model()) == 0 && (in.ByModel && r.pool == 0 || in.Listed && in.Unlike != nil && in.Unlike(r.pool))
}

// waitsForModel says that it is to be read on for its model, though as much has been read as is before a decision: as far as the proxy
// can hold the body, and one more part of it that may come.
func (r *Reading) waitsForModel() bool {
	most := ModelBytes(r.inspector.cfg)
	if !r.FitsIn(most) {
		most -= oneRead
	}
	return r.seen < most && r.LacksModel()
}
