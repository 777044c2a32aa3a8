package worker

import (
	"strconv"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
)

// shadow decides requests a second time, by another policy, as if that were in force. A pool of its own keeps what its
// choices would have put into each cache and in flight at each endpoint; workers share it like the live pool. What endpoints
// can do (speed, health, size of the cache) is copied from the live pool, because no request is routed by the shadow.
// Nothing live depends on it.
type shadow struct {
	live, pool *pool.Pool
	router     *route.Router
	board      *share.Board
	second     int64 // ns: time of the pool's last Tick
}

// newShadow makes the shadow that cfg names, beside the live pool of that name; nil if it names none. It writes to the store under names
// of its own.
func newShadow(cfg *config.Config, live *pool.Pool, name string, store share.Store, seed uint64) *shadow {
	if cfg.Shadow == config.PolicyNone {
		return nil
	}
	other := *cfg
	other.Policy = cfg.Shadow
	s := &shadow{live: live, pool: pool.New(&other, route.IndexBytes(&other))}
	s.pool.KeepersOf(live)
	s.router = route.New(&other, s.pool, seed)
	s.board = share.Named(newShadowStore(store), name, s.pool)
	return s
}

// tick must be called after the live pool's Tick and changes of its members; live is its board.
func (s *shadow) tick(live *share.Board, now int64) {
	s.board.SetGeneration(live.Generation())
	s.board.Settle(now)
	s.pool.CopyMembers(s.live, now)
	if now-s.second < 1e9 && now >= s.second { // else the clock was set back
		return
	}
	s.second = now
	s.board.ShareSpeeds(now) // before the copy: what conversations lose by the choices of all workers stays
	s.pool.CopyLearned(s.live, now)
	s.pool.Tick(now)
	s.board.Tick(now)
}

// shadowStore keeps the shadow's keys apart from the live ones.
type shadowStore struct {
	share.Store
	names map[string]string // a cache: the keys are few
}

const shadowPrefix = "shadow."

func newShadowStore(store share.Store) *shadowStore {
	return &shadowStore{store, make(map[string]string)}
}

func (s *shadowStore) name(key string) string {
	name, ok := s.names[key]
	if !ok {
		name = shadowPrefix + key
		s.names[name[len(shadowPrefix):]] = name
	}
	return name
}

func (s *shadowStore) Get(key string) ([]byte, uint32, bool) { return s.Store.Get(s.name(key)) }

func (s *shadowStore) Set(key string, value []byte, version uint32) bool {
	return s.Store.Set(s.name(key), value, version)
}

// shadowed is one request as the shadow decided it.
type shadowed struct {
	shadow   *shadow // nil: no shadow, or the request has ended
	used     bool    // the shadow decided this request
	decision decision.Decision
	address  string // of its first endpoint
	live     int    // tokens that the live policy expected in its endpoint's cache
	agrees   bool
}

// decide lets the shadow decide the request that was just decided, while its prompt is still valid.
func (o *shadowed) decide(s *shadow, req *decision.Request, x *Exchange, now int64) {
	o.used = false
	s.board.Sync(now)
	if !s.router.Pick(req, &o.decision) {
		return // its pool is still empty: it follows the live one by a tick
	}
	o.shadow, o.used, o.live = s, true, x.decision.ExpectedTokens()
	s.pool.Begin(&o.decision.Flight, o.decision.Order[0], now)
	s.board.RecordRouted(o.decision.Endpoint(), o.decision.Entered(), now)
	o.address = s.pool.Endpoints[o.decision.Order[0]].Address
	o.agrees = o.address == x.address
}

// extend takes the whole prompt; when the shadow decided, only its beginning was known.
func (o *shadowed) extend(whole *prompt.Prompt, now int64) {
	if s := o.shadow; s != nil && s.pool.Extend(&o.decision.Flight, whole, now) {
		s.board.RecordRouted(o.decision.Endpoint(), o.decision.Entered(), now)
	}
}

func (o *shadowed) suspend(now int64) {
	if o.shadow != nil {
		o.shadow.pool.Suspend(&o.decision.Flight, now)
	}
}

func (o *shadowed) resume(now int64) {
	if o.shadow != nil {
		o.shadow.pool.Resume(&o.decision.Flight, now)
	}
}

func (o *shadowed) firstToken(now int64) {
	if s := o.shadow; s != nil {
		s.pool.FirstToken(&o.decision.Flight, now)
		s.board.Record(o.decision.Endpoint(), o.decision.Entered(), now)
	}
}

// end ends the request in the shadow's pool. How it ended says nothing of the shadow's endpoint, where it was not; but a prompt that was
// refused does not come back there either.
func (o *shadowed) end(now int64, lost, hungUp bool, how health.Ending) {
	s := o.shadow
	if s == nil {
		return
	}
	o.shadow = nil
	if lost && how != health.Cancelled {
		s.pool.Unreturn(&o.decision.Flight)
	}
	s.pool.End(&o.decision.Flight, now, pool.Outcome{Ending: health.Cancelled, Lost: lost, HungUp: hungUp, Denied: how.Denies()})
	s.board.RecordEnd(&o.decision.Flight, now)
	s.board.Publish(now)
}

func (o *shadowed) append(dst []byte) []byte {
	if !o.used {
		return dst
	}
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

// Comparison is how the shadow policy's decision compares with the live one.
type Comparison struct {
	Agrees       bool // on the first endpoint
	Live, Shadow int  // prompt tokens that each expected in the cache of its first endpoint
}

// Comparison compares the decisions for this request; false if no shadow decided it.
func (x *Exchange) Comparison() (c Comparison, ok bool) {
	o := &x.shadow
	return Comparison{o.agrees, o.live, o.decision.ExpectedTokens()}, o.used
}
