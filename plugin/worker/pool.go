package worker

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/gossip"
	"warmroute/plugin/inspect"
	"warmroute/plugin/pool"
	"warmroute/plugin/route"
	"warmroute/plugin/scout"
	"warmroute/plugin/share"
)

// Pool is what a worker keeps of one pool of endpoints.
type Pool struct {
	cfg    *config.Config // with the settings of this pool
	name   string         // "" for an only one
	place  int            // among the worker's pools
	number int            // never used again: the calls of its scout have it
	off    bool           // not steered; the rest is nil
	dozes  bool           // it only counts requests under way

	known      *pool.Pool // nil, like all below, if the proxy chooses by a key
	router     *route.Router
	others     map[config.Policy]*route.Router // that requests have chosen
	seed       uint64
	board      *share.Board
	scout      *scout.Scout
	shadow     *shadow     // nil: none
	experiment *experiment // nil: none

	reportsHits bool             // without endpoints: a response had a number of cached tokens
	waiting     []*Exchange      // at the gateway, the first that came first
	full        []uint64         // of due: the groups that wait and had no room at fullAt
	fullAt      int64            // ns
	yield       map[uint32]yield // by group's name
	names       map[uint64]uint32
	namesOf     share.Generation // whose names these are
	rate        rate             // of its requests, where there are other gateways
	firsts      part             // first tokens that other gateways might be woken for, and were not
	ends        part             // likewise ends of requests
	pattern     int              // it was made by this pattern, from 1; 0: it was not
	routed      bool             // it has the requests of the clusters that routes choose, and no others
	used        int64            // ns: its last request, or at most a tick before
	outages     outages
	open        int // requests that have begun and not ended, if a pattern made it
}

// newPool makes a pool and puts it at a place among the worker's: a new one, or another's.
func (w *Worker) newPool(cfg *config.Config, name string, off bool, place int) *Pool {
	w.number++
	p := &Pool{cfg: cfg, name: name, place: place, number: w.number, off: off, used: w.now}
	if place == len(w.pools) {
		w.pools = append(w.pools, nil)
	} else if old := w.pools[place]; old.known != nil {
		old.known.Ring.Unshare()
		old.release()
		old.board.Retire()
		if old.shadow != nil {
			old.shadow.board.Retire()
		}
	}
	w.pools[place] = p
	if off || cfg.Steer.Target == config.TargetHash {
		return p
	}
	seed := w.seed
	if name != "" {
		seed ^= uint64(share.Generation(0).With(name))
	}
	p.seed = seed
	p.known = pool.New(cfg, route.IndexBytes(cfg))
	if cfg.IsOneOfSeveral() {
		p.known.ShareRing(&w.rings)
	}
	p.router = route.New(cfg, p.known, seed)
	p.board = share.Named(w.store, name, p.known)
	p.scout = scout.New(cfg, p.known, p.board, w.store, caller{&w.bundler, p.number}, w.now)
	p.join(w.gateways)
	p.scout.ReadPublished(w.now)
	p.experiment = newExperiment(cfg)
	p.shadow = newShadow(cfg, p.known, name, w.store, seed)
	return p
}

// release gives back what the collector does not know of: the pool is not used any more.
func (p *Pool) release() {
	if p.known == nil {
		return
	}
	p.known.Release()
	p.router.Release()
	for _, r := range p.others {
		r.Release()
	}
	if p.shadow != nil {
		p.shadow.pool.Release()
		p.shadow.router.Release()
	}
}

// caller adds the pool's number to the calls of its scout.
type caller struct {
	to     *bundler
	number int
}

func (c caller) Get(call scout.Call) bool {
	call.Token.Pool = c.number
	return c.to.get(call)
}

// join makes the pool exchange news with other gateways.
func (p *Pool) join(g gateways) {
	if g.fresh != 0 && p.scout != nil {
		p.scout.EnableGossip(g.secrets, g.fresh)
		p.board.Wake = g.wake
	}
}

// Gossip is what the pool exchanges with other gateways; nil: nothing.
func (p *Pool) Gossip() *gossip.Gossip {
	if p.scout == nil {
		return nil
	}
	return p.scout.Gossip()
}

// tick keeps what is known of the endpoints fresh.
func (p *Pool) tick(now int64) {
	if p.known == nil {
		return
	}
	p.scout.Tick(now)
	if p.shadow != nil {
		p.shadow.tick(p.board, now)
	}
}

// settled says whether the rest of a prompt cannot change the decision. What other workers and gateways have routed is read first: before
// a worker's first request, or by what it read at its last tick, a long prompt that others know would be settled by its beginning, for
// nobody to hold more.
func (p *Pool) settled(req *decision.Request, now int64) bool {
	if p.off || req.Choice == decision.ChoiceOff {
		return true
	}
	if p.known != nil {
		p.board.Sync(now)
	}
	if p.router == nil || !p.routerOf(req.Choice).Settled(req) {
		return false
	}
	e := p.experiment
	return e == nil || req.Choice != 0 || p.routerOf(e.choice).Settled(req)
}

// routerOf is the router of the policy that a request has chosen, made at its first request; the pool's own if it has chosen
// none, or the pool does not keep what that policy decides by.
func (p *Pool) routerOf(choice decision.Choice) *route.Router {
	policy, chosen := choice.Policy()
	if !chosen || policy == p.cfg.Policy || policy.NeedsIndex() && p.known.Index == nil {
		return p.router
	}
	r := p.others[policy]
	if r == nil {
		cfg := *p.cfg
		cfg.Policy = policy
		cfg.IndexBytes /= 4 // for lru_match, which keeps hashes beside the pool's index
		if p.others == nil {
			p.others = map[config.Policy]*route.Router{}
		}
		r = route.New(&cfg, p.known, p.seed)
		p.others[policy] = r
	}
	return r
}

// choiceOf is what a request says of its policy.
func (w *Worker) choiceOf(h *inspect.Head) decision.Choice {
	if h.Policy == "" || w.cfg.PolicyHeaderFrom == config.FromInternal && !h.Internal {
		return 0
	}
	if h.Policy == "off" {
		return decision.ChoiceOff
	}
	if policy := config.PolicyNamed(h.Policy); policy != config.PolicyNone {
		return decision.ChoiceOf(policy)
	}
	return 0
}

// Dozes says whether it only counts requests under way: Worker.Doze.
func (p *Pool) Dozes() bool { return p.dozes }

// Name is the pool's name; "" is that of an only one.
func (p *Pool) Name() string { return p.name }

// Mention names the pool in the log, behind its endpoints; "" where there is one.
func (p *Pool) Mention() string {
	if p.name == "" {
		return ""
	}
	return " of the pool " + p.name
}

// Place is its place among the worker's pools. Another pool may have it later.
func (p *Pool) Place() int { return p.place }

// Config is the configuration with the pool's settings.
func (p *Pool) Config() *config.Config { return p.cfg }

// Known is what is known of the endpoints; nil if the proxy chooses among them by itself.
func (p *Pool) Known() *pool.Pool { return p.known }

// Has says whether endpoint i, 0 or more, is in the pool and has that address.
func (p *Pool) Has(i int, address string) bool {
	return p.known != nil && i < len(p.known.Endpoints) && p.known.Present(i) && p.known.Endpoints[i].Address == address
}

// Leads says whether this worker is the elected one, which scrapes and discovers for all workers of the proxy.
func (p *Pool) Leads() bool { return p.scout != nil && p.scout.Leads() }
