package inspect

import (
	"strconv"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
)

// Shadow decides requests a second time, by another policy, as if it were in force: it keeps its own books of what its
// choices would have put into which cache and in flight where, shared among the workers like the live ones. What an
// endpoint is able to do (speed, health, size of its cache) it takes from the live router, for no request ever goes
// where the shadow says. Nothing live depends on it.
type Shadow struct {
	live, router *route.Router
	board        *share.Board
	second       int64 // ns: when the router was last told the time
}

// NewShadow makes the shadow that cfg asks for, beside the router that decides; nil where it asks for none. It writes to
// the store under names of its own.
func NewShadow(cfg *config.Config, live *route.Router, store share.Store, seed uint64) *Shadow {
	if cfg.Shadow == config.PolicyNone {
		return nil
	}
	other := *cfg
	other.Policy = cfg.Shadow
	s := &Shadow{live: live, router: route.New(&other, seed)}
	s.board = share.New(&shadowStore{store, make(map[string]string)}, s.router)
	return s
}

// Tick is to be called after the live router was told of changes of the pool and the time; live is that router's board.
func (s *Shadow) Tick(live *share.Board, now int64) {
	s.board.Follow(live.Generation())
	s.router.Mirror(s.live, now)
	if now-s.second < 1e9 {
		return
	}
	s.second = now
	s.router.Follow(s.live, now)
	s.router.Tick(now)
	s.board.Tick(now)
}

// shadowStore keeps the shadow's keys apart from the live ones.
type shadowStore struct {
	share.Store
	names map[string]string // made once: the keys are few
}

func (s *shadowStore) name(key string) string {
	name, ok := s.names[key]
	if !ok {
		name = "shadow." + key
		s.names[key] = name
	}
	return name
}

func (s *shadowStore) Get(key string) ([]byte, uint32, bool) { return s.Store.Get(s.name(key)) }

func (s *shadowStore) Set(key string, value []byte, version uint32) bool {
	return s.Store.Set(s.name(key), value, version)
}

// Shadowed is one request as the shadow decided it.
type Shadowed struct {
	shadow   *Shadow // nil once the request has ended
	used     bool    // it decided this request
	decision route.Decision
	address  string // of its first endpoint
	live     int    // tokens that the live policy expected in its endpoint's cache
	agrees   bool
}

// DecideShadow lets a shadow decide the request that Decide has just decided, while its prompt is still valid. It is nil
// where the shadow knows of no endpoints yet.
func (a *Answer) DecideShadow(s *Shadow, req *route.Request, now int64) *Shadowed {
	if a.shadowed == nil {
		a.shadowed = &Shadowed{}
	}
	o := a.shadowed
	o.shadow, o.used, o.live = s, true, a.decision.ExpectedTokens()
	s.board.Read(now)
	if !s.router.Pick(req, &o.decision) { // its pool lags behind by a tick
		o.shadow, o.used = nil, false
		return nil
	}
	s.router.Begin(&o.decision, now)
	s.board.Routed(o.decision.Endpoint(), &o.decision.Chain, now)
	o.address = s.router.Endpoints[o.decision.Order[0]].Address
	o.agrees = o.address == a.address
	return o
}

// Agrees says whether the shadow's first endpoint is the live one.
func (o *Shadowed) Agrees() bool { return o.agrees }

// Expected is the prompt tokens that the live and the shadow policy each expected in the cache of its first endpoint.
func (o *Shadowed) Expected() (live, shadow int) { return o.live, o.decision.ExpectedTokens() }

// end ends the request in the shadow's books. How it ended says something of the endpoint it was at, not of this one.
func (o *Shadowed) end(now int64, lost bool) {
	if lost {
		blocks, at := o.decision.Given()
		o.shadow.board.Lost(o.decision.Endpoint(), blocks, at)
	}
	o.shadow.router.Answered(&o.decision, now, route.Outcome{Ending: load.Cancelled, Lost: lost})
	o.shadow.board.Counted(now)
	o.shadow = nil
}

func (o *Shadowed) append(dst []byte) []byte {
	dst = append(dst, ";shadow="...)
	dst = append(dst, o.decision.Policy.String()...)
	dst = append(dst, ";shadow_reason="...)
	dst = append(dst, o.decision.Reason.String()...)
	dst = append(dst, ";shadow_endpoint="...)
	dst = append(dst, o.address...)
	if o.decision.Total > 0 {
		dst = append(dst, ";shadow_matched="...)
		dst = strconv.AppendInt(dst, int64(o.decision.Matched), 10)
	}
	return dst
}
