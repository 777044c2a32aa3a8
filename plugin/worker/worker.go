// Package worker is the pipeline of one worker thread, wired once: it inspects a request's head and body, lets a policy
// decide, follows the response to its end, and reports what it learned to the pool and to the proxy's other workers. The
// module adapts the proxy's callbacks to it, and the simulator's native engine its own.
//
// For each request: Exchange.Begin with its head, Write with the body as it arrives, Decide, Steering, Write and EndBody for
// the rest of the body, and then Headers, Chunk, Read, Complete and End as the response comes. Tick, once every
// scout.Period.
package worker

import (
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/pool"
	"warmroute/plugin/route"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
)

// Worker is what one worker thread keeps. It is not safe for concurrent use.
type Worker struct {
	cfg       *config.Config
	inspector *inspect.Inspector
	pool      *pool.Pool // nil, like all below, if the proxy chooses by a key
	router    *route.Router
	board     *share.Board
	scout     *scout.Scout
	shadow    *shadow // nil: none

	reportsHits bool // without a pool: a response had a number of cached tokens
}

// New makes a worker of the proxy whose shared data is store. seed starts the random policies. Errors name the field of
// the configuration.
func New(cfg *config.Config, store share.Store, caller scout.Caller, seed uint64, now int64) (*Worker, error) {
	inspector, err := inspect.New(cfg)
	if err != nil {
		return nil, err
	}
	w := &Worker{cfg: cfg, inspector: inspector}
	if cfg.Steer.Target == config.TargetHash {
		return w, nil
	}
	w.pool = pool.New(cfg, route.IndexBytes(cfg))
	w.router = route.New(cfg, w.pool, seed)
	inspector.Settled = w.router.Settled
	w.board = share.New(store, w.pool)
	w.scout = scout.New(cfg, w.pool, w.board, store, caller, now)
	w.scout.ReadPublished(now)
	w.shadow = newShadow(cfg, w.pool, store, seed)
	return w, nil
}

// Pool is the pool that the worker chooses from; nil if the proxy chooses by a key.
func (w *Worker) Pool() *pool.Pool { return w.pool }

// Leads says whether this worker is the elected one, which scrapes and discovers for all workers of the proxy.
func (w *Worker) Leads() bool { return w.scout != nil && w.scout.Leads() }

// Tick keeps what is known of the pool fresh. Call it once a scout.Period.
func (w *Worker) Tick(now int64) {
	if w.pool == nil {
		return
	}
	w.scout.Tick(now)
	if w.shadow != nil {
		w.shadow.tick(w.board, now)
	}
}

// HandleResponse takes the response to a call of the scout, and returns what is wrong with it.
func (w *Worker) HandleResponse(token scout.Token, response scout.Response, now int64) scout.Fault {
	return w.scout.HandleResponse(token, response, now)
}

// Take reads one header of a request into h; names are in lower case.
func (w *Worker) Take(h *inspect.Head, name, value string) { w.inspector.Take(h, name, value) }
