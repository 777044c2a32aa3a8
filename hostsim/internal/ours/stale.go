package ours

import (
	"errors"
	"slices"
	"time"

	"warmroute/hostsim/internal/router"
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/inspect"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/route"
)

// Stale runs one worker's policy natively on a cache directory that is refreshed now and then: what is sent where shows
// in it at the next refresh, as in a directory that replicas or other gateways report to. Own counts of load are exact.
// The directory knows how much a replica holds, and gives up what an LRU cache of that size would; true hits do not
// correct it.
type Stale struct {
	cfg       config.Config
	inspector *inspect.Inspector
	pool      *pool.Pool
	router    *route.Router
	every     int64 // ns; 0: at once
	now       int64
	refreshed int64
	pending   []placed
}

// placed is a prompt that was sent to an endpoint at a time in ms.
type placed struct {
	endpoint int
	chain    prefix.Chain
	at       uint32
}

// NewStale makes the engine; the directory is refreshed at every multiple of a time, 0 being at once, and a replica's
// cache holds so many tokens. It has one worker. Errors: as NewNative's; a policy that keeps no directory.
func NewStale(configuration []byte, every time.Duration, cacheTokens int) (*Stale, error) {
	cfg, err := config.Parse(configuration)
	if err != nil {
		return nil, err
	}
	s := &Stale{cfg: cfg, every: every.Nanoseconds()}
	if s.inspector, err = inspect.New(&s.cfg); err != nil {
		return nil, err
	}
	s.pool = pool.New(&s.cfg, route.IndexBytes(&s.cfg))
	s.pool.ExternalIndex = true
	s.router = route.New(&s.cfg, s.pool, cfg.Seed)
	if s.pool.Index == nil {
		return nil, errors.New("index_bytes: 0 keeps no directory")
	}
	for i := range s.pool.Endpoints {
		s.pool.SetCache(i, float64(cacheTokens))
	}
	return s, nil
}

// Begin implements router.Engine.
func (s *Stale) Begin(_ int, r *router.Request) (router.Ticket, error) {
	t := &staleTicket{engine: s}
	req := &decision.Request{}
	reading, verdict, why := s.inspector.Begin(head(s.inspector, r))
	switch verdict {
	case inspect.Read:
		defer s.inspector.End(reading)
		reading.Write(r.Body)
		req = reading.Request()
	case inspect.ByLoad:
		req.Why = why
	default:
		return passedTicket{}, nil
	}
	req.Now = epoch + s.now
	s.router.Pick(req, &t.decision)
	s.pool.Begin(&t.decision.Flight, t.decision.Order[0], req.Now)
	s.pending = append(s.pending, placed{t.decision.Endpoint(), prefix.Chain{Hash: slices.Clone(t.decision.Chain.Hash), End: slices.Clone(t.decision.Chain.End)}, uint32(req.Now / 1e6)})
	if s.every == 0 {
		s.refresh()
	}
	return t, nil
}

func (s *Stale) refresh() {
	for i := range s.pending {
		p := &s.pending[i]
		s.pool.Index.Insert(p.endpoint, &p.chain, p.at)
	}
	s.pending = s.pending[:0]
}

// Advance implements router.Engine.
func (s *Stale) Advance(now int64) {
	s.now = max(s.now, now)
	if s.every > 0 && s.now/s.every > s.refreshed {
		s.refreshed = s.now / s.every
		s.refresh()
	}
}

// Next implements router.Engine.
func (s *Stale) Next() (int64, bool) { return (s.refreshed + 1) * s.every, s.every > 0 }

// Close implements router.Engine.
func (s *Stale) Close() error { return nil }

// staleTicket tells the pool what it learns of load and speed.
type staleTicket struct {
	engine   *Stale
	decision decision.Decision
	begun    bool
}

// Decision implements router.Ticket.
func (t *staleTicket) Decision() string {
	return string(t.decision.Append(nil, t.engine.pool.Endpoints))
}

// Endpoints implements router.Ticket.
func (t *staleTicket) Endpoints() []string {
	var list []string
	for _, e := range t.decision.Order {
		list = append(list, t.engine.pool.Endpoints[e].Server())
	}
	return list
}

// Rank implements router.Ranked.
func (t *staleTicket) Rank() string {
	_, rank := config.SplitRank(t.engine.pool.Endpoints[t.decision.Order[0]].Address)
	return rank
}

// Headers implements router.Ticket.
func (t *staleTicket) Headers(string, int, string) {}

// Chunk implements router.Ticket.
func (t *staleTicket) Chunk(_ []byte, ends bool) {
	now := epoch + t.engine.now
	if !t.begun {
		t.begun = true
		t.engine.pool.FirstToken(&t.decision.Flight, now)
	}
	if ends {
		t.engine.pool.End(&t.decision.Flight, now, pool.Outcome{Ending: health.Answered})
	}
}

// Cancel implements router.Ticket.
func (t *staleTicket) Cancel() {
	t.engine.pool.End(&t.decision.Flight, epoch+t.engine.now, pool.Outcome{Ending: health.Cancelled, Lost: !t.begun, HungUp: true})
}
