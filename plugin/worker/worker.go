// Package worker is the pipeline of one worker thread, wired once: it inspects a request's head and body, lets a policy
// decide, follows the response to its end, and reports what it learned to the pool and to the proxy's other workers. Reading
// is common to all pools; all else is a pool's own (Pool), and find.go finds a request's pool. The module adapts the proxy's callbacks to it, and the simulator's native engine its own.
//
// For each request: Exchange.Begin with its head, Write with the body as it arrives, Decide, Steering, Write and EndBody for
// the rest of the body, and then Headers, Chunk, Read, Complete and End as the response comes. Tick, once every
// Period.
package worker

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/inspect"
	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
)

// Worker is what one worker thread keeps. It is not safe for concurrent use.
type Worker struct {
	// Clock is the time, ns, where a body comes between ticks; nil: that of the last one.
	Clock func() int64

	cfg       *config.Config
	inspector *inspect.Inspector
	store     share.Store
	bundler   bundler
	seed      uint64
	now       int64 // ns: of the last tick
	leaps     int   // calls of Leapt
	period    int64 // ns: to the next
	began     bool  // a request, since the last tick
	dozes     bool
	busy      int64 // ns: the last tick after one
	pools     []*Pool
	number    int // of the last pool
	freed     int // requests that waited and went since the last tick
	turn      int // the pool of the last of them
	unsent    unsent
	registry  registry
	finder    finder
	rings     pool.Rings
	gateways  gateways
	recorder  *recorder // nil: nothing is recorded
}

// gateways is what the pools need to exchange news with other gateways.
type gateways struct {
	secrets news.Secrets
	fresh   uint64 // 0: nothing is exchanged
	wake    func(queue uint32)
}

// New makes a worker of the proxy whose shared data is store. seed starts the random policies. Errors name the field of
// the configuration.
func New(cfg *config.Config, store share.Store, caller scout.Caller, seed uint64, now int64) (*Worker, error) {
	inspector, err := inspect.New(cfg)
	if err != nil {
		return nil, err
	}
	w := &Worker{cfg: cfg, inspector: inspector, store: store, bundler: bundler{to: caller, on: len(cfg.Pools) > 0}, seed: seed, now: now, busy: now, period: scout.Period(cfg), recorder: newRecorder(cfg)}
	w.findPools()
	w.registry = w.newRegistry()
	inspector.Listed, inspector.Unlike = cfg.ListsModels(), w.unlike
	inspector.Settled, inspector.Waits, inspector.ByModel = w.settled, w.waits, w.finder.byModel()
	return w, nil
}

// settled says whether the rest of a request's prompt cannot change the decision. One whose model has come and that is in no
// pool is not steered.
func (w *Worker) settled(req *decision.Request) bool {
	p := w.ofRequest(req)
	return p == nil || !w.mayHold(p, req) && p.settled(req, w.clock())
}

// unlike says whether the endpoints of a pool, by its number at the inspector, are known to serve different models.
func (w *Worker) unlike(pool int) bool {
	if pool == 0 {
		return false
	}
	known := w.pools[pool-1].known
	return known != nil && known.ModelsDiffer()
}

// clock is the time of what is read now. What others' prompts wait for is told as of that: by the last tick, a second ago where the worker
// rests, as much less would wait as is computed in the time.
func (w *Worker) clock() int64 {
	if w.Clock == nil {
		return w.now
	}
	return w.Clock()
}

// JoinGateways makes the pools exchange news with those of other gateways, as the configuration says, under their secrets. fresh is
// a random number, not 0; wake wakes a queue that was armed (share.Arm), nil where none is. Call it before the first Tick.
func (w *Worker) JoinGateways(secrets news.Secrets, fresh uint64, wake func(queue uint32)) {
	if w.cfg.Peers.Cluster == "" {
		return
	}
	w.gateways = gateways{secrets, fresh, wake}
	share.Incarnation(w.store, fresh)
	for _, p := range w.pools {
		p.join(w.gateways)
	}
}

// Pools are the pools that the worker chooses from. Those that a pattern makes come at their first requests.
func (w *Worker) Pools() []*Pool { return w.pools }

// Numbered is the pool whose scout made a call with this token; nil: it is gone.
func (w *Worker) Numbered(token scout.Token) *Pool {
	for _, p := range w.pools {
		if p.number == token.Pool {
			return p
		}
	}
	return nil
}

// Tick keeps what is known of the pools fresh. Call it once a Period.
func (w *Worker) Tick(now int64) {
	if w.dozes {
		w.doze(now)
		return
	}
	w.now, w.freed = now, 0
	if len(w.finder.patterns) > 0 {
		w.readRegistry()
	}
	for _, p := range w.pools {
		p.tick(now)
	}
	w.unsent.tick(now)
	w.flush(now)
	w.pace(now)
}

// Leapt records that the clock was set, or that the proxy stood still, as a machine that is suspended does. What has been under way since before
// seems to take that long: no endpoint is silent for that, and none of it has a time to the first token.
func (w *Worker) Leapt(now int64) {
	w.leaps++
	for _, p := range w.pools {
		if p.known != nil {
			p.known.Health.Leapt(now)
		}
	}
}

// Period is the time from the last Tick to the next, or from the last Begin if it has changed with that.
func (w *Worker) Period() int64 { return w.period }

// begins ends the rest, because a request has begun.
func (w *Worker) begins() { w.began, w.period = true, scout.Period(w.cfg) }

// pace sets the period: longer while no request comes.
func (w *Worker) pace(now int64) {
	if w.began || now < w.busy {
		w.busy, w.began = now, false
	}
	w.period = scout.RestPeriod
	if now-w.busy < scout.QuietAfter || !w.inspector.Idle() {
		w.period = scout.Period(w.cfg)
	}
	for _, p := range w.pools {
		if p.scout != nil {
			w.period = min(w.period, p.scout.Period())
		}
	}
}

// OnLearned sets what is told of the response to each pool's call where several were one, for HandleResponse returns no fault of
// those.
func (w *Worker) OnLearned(learn func(c scout.Call, fault scout.Fault, now int64)) {
	w.bundler.learn = learn
}

// Flush publishes what the other workers do not know yet, and reads what they have. Call it when no new request comes to this one, and no
// Tick follows.
func (w *Worker) Flush(now int64) {
	for _, p := range w.pools {
		if p.board != nil {
			p.scout.Resign()
			p.board.Flush(now)
			p.board.ReadPeers(now)
			if p.shadow != nil {
				p.shadow.board.Flush(now)
			}
		}
	}
}

// Idle says whether no request is still to be decided, or its prompt read on.
func (w *Worker) Idle() bool { return w.inspector.Idle() }

// Open is how many of its requests are under way.
func (w *Worker) Open() (n int) {
	for _, p := range w.pools {
		if p.known != nil {
			for e := range p.known.Endpoints {
				n += p.known.OwnInFlight(e)
			}
		}
	}
	return n
}

// Doze lets go of all that decides, which gives back what the collector does not know of. The worker counts requests under way until they
// have ended, and Tick says so to the others, as long as the pool has the same endpoints; no request begins any more.
func (w *Worker) Doze(now int64) {
	w.dozes = true
	for _, p := range w.pools {
		p.dozes = true
		if p.scout != nil {
			p.scout.Resign()
		}
		p.release()
	}
	w.doze(now)
}

// doze tells the others, once a RestPeriod, what is under way here.
func (w *Worker) doze(now int64) {
	w.period = scout.RestPeriod
	if age := now - w.now; age >= 0 && age < scout.RestPeriod/2 {
		return
	}
	w.now = now
	for _, p := range w.pools {
		if p.board != nil {
			p.board.Tick(now)
		}
		if p.shadow != nil {
			p.shadow.board.Tick(now)
		}
	}
}

// HandleResponse takes the response to a call of a scout, and returns what is wrong with it.
func (w *Worker) HandleResponse(token scout.Token, response scout.Response, now int64) scout.Fault {
	defer w.flush(now) // an answer may lead to the next call
	if calls := w.bundler.sent[token.Pool]; calls != nil {
		delete(w.bundler.sent, token.Pool)
		w.divide(calls, response, now)
		return ""
	}
	return w.deliver(scout.Call{Token: token}, response, now, false)
}

// Take reads one header of a request into h; names are in lower case.
func (w *Worker) Take(h *inspect.Head, name, value string) { w.inspector.Take(h, name, value) }
