package worker

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/decision"
	"warmroute/plugin/inspect"
	"warmroute/plugin/why"
)

// ownerOf is a number of a tenant, the same at all gateways; 0: there are no tenants.
func (w *Worker) ownerOf(tenant string) uint64 {
	if tenant == "" {
		return 0
	}
	return bytestr.Hash(w.cfg.Secret, bytestr.Bytes(tenant))
}

// aboutStored says whether a request is about a response that an endpoint is known to keep, by its path: it is decided at once then.
func (x *Exchange) aboutStored(h *inspect.Head) bool {
	w := x.worker
	name := w.inspector.Stored(h.Path)
	if name == "" {
		return false
	}
	id := []byte(name)
	h.Keep() // Sync reads shared data
	for _, p := range w.pools {
		if p.known == nil || x.pool != p && (x.pool != nil || p.routed) {
			continue
		}
		if p.board.Sync(w.clock()); p.known.Keeper(x.owner, id) >= 0 {
			x.pool = p
			x.byLoad = decision.Request{Stored: id, Why: why.NoPrompt}
			w.begins()
			return true
		}
	}
	return false
}

// readName looks for the response's name, until it has come: others are told then which endpoint keeps it.
func (x *Exchange) readName(piece []byte) {
	id := x.title.Write(piece)
	x.naming = !x.title.Done()
	p, endpoint, now := x.pool, x.decision.Endpoint(), x.worker.clock()
	if id == nil || x.served != "" && x.served != x.Server() || !p.board.IsEndpoint(endpoint, x.address) { // the pool does not have it, or no longer
		return
	}
	p.board.RecordRouted(endpoint, p.known.NoteResponse(endpoint, x.owner, id, now), now)
}
