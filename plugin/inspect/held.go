package inspect

import "warmroute/plugin/config"

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
	most := r.inspector.cfg.ModelBytes()
	if !r.FitsIn(most) {
		most -= config.OneRead
	}
	return r.seen < most && r.LacksModel()
}
