// Package scout keeps what the workers know of the pool fresh. One of them, elected by a lease in the proxy's shared
// data, asks the proxy's admin interface which endpoints there are, and each endpoint for its metrics, through HTTP
// calls of the proxy; it publishes what it learns, and all take it over at their next tick.
//
//	lease     who leads (load.Campaign)
//	roster    the endpoints, each in the place that its index names
//	samples   the last page of metrics of each, as far as routing needs it
//
// Beside, each worker's router and board are told the time once a second.
//
// A leader that stops is followed by another when its lease ends, and the next one goes on from what was published.
// Whatever fails leaves what was known before in force: old metrics count for less and less, an old roster stays.
package scout

import (
	"strconv"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
)

// Call is an HTTP GET to be made.
type Call struct {
	Cluster   string // of the proxy, to send it to
	Authority string
	Path      string
	Endpoint  string // the address that the cluster is to choose, by config.EndpointHeader; "" leaves it the choice
	Timeout   int64  // nanoseconds
	Token     Token
}

// Token comes back with the answer to a Call.
type Token struct {
	Endpoint int // index; −1 for the admin interface
	epoch    uint32
}

// Caller makes calls. The answer, or that there is none, is told to Answered with the call's token.
type Caller interface {
	// Get reports whether the call could be made; if not, there will be no answer.
	Get(c Call) bool
}

// Page is the answer to a Call.
type Page struct {
	Status int // of HTTP; 0: there was none
	Size   int // bytes of the body
	// Read returns at most size bytes of the body from a place on.
	Read func(from, size int) []byte
}

// Fault is what went wrong, for counting and for the log. "" is nothing.
type Fault string

// Scout is one worker's part in it. It is not safe for concurrent use.
type Scout struct {
	cfg    *config.Config
	router *route.Router
	board  *share.Board
	store  share.Store
	caller Caller

	leads     bool
	leaseKey  string
	rosterKey string
	pagesKey  string
	buffer    []byte

	roster   roster
	means    load.Generation // what indices mean
	reader   load.ClusterReader
	found    []load.Discovered
	look     job // at the admin interface
	lookPath string

	page    load.Scrape
	pages   pages
	jobs    []job // by endpoint
	asked   int   // endpoint that was asked last
	ticked  int64 // ns
	second  int64 // ns: when router and board were last told the time
	unsaid  bool  // pages are newer than what was published
	askedBy bool  // metrics are asked for at all
}

// job is something to do again and again.
type job struct {
	due   int64 // ns
	began int64 // the last time
	until int64 // while it is under way: when it counts as lost
}

const (
	names = "warmroute.1." // the number is that of the formats
	lease = 5e9            // ns; ticks are at most a second apart
	piece = 64 << 10       // bytes of a page that are read at a time
	most  = 64             // calls under way
)

// Period is the time between two ticks, in nanoseconds: often enough to notice a held request's timeout, and what
// others publish, at least once a second.
func Period(cfg *config.Config) int64 { return min(max(cfg.DecideTimeout/5, 5e6), 1e9) }

// New makes the scout of a worker.
func New(cfg *config.Config, r *route.Router, b *share.Board, store share.Store, caller Caller, now int64) *Scout {
	// Filters of one virtual machine share its data; those with other pools have other keys.
	pool := load.Generation(0).With(cfg.Discovery.AdminCluster).With(cfg.Discovery.Cluster).With(cfg.Scrape.Cluster).With(cfg.Scrape.Path)
	for _, e := range cfg.Endpoints {
		pool = pool.With(e.Address)
	}
	if cfg.Discovery.Cluster != "" { // what the leader makes of the hosts that it finds
		pool = pool.With(cfg.Steer.Target.String()).With(strconv.Itoa(cfg.Ring.Vnodes))
	}
	name := "." + strconv.FormatUint(uint64(pool), 16)
	s := &Scout{
		cfg: cfg, router: r, board: b, store: store, caller: caller,
		leaseKey: names + "lease" + name, rosterKey: names + "roster" + name, pagesKey: names + "metrics" + name,
		askedBy: cfg.Scrape.Path != "", ticked: now, second: now,
	}
	if cfg.Discovery.Cluster != "" {
		s.lookPath = "/clusters?format=json&filter=" + filter(cfg.Discovery.Cluster)
		s.roster.vnodes = cfg.Ring.Vnodes
		s.means = s.generation()
		b.Follow(s.means)
	}
	b.Tick(now) // finds the peers, for Join
	return s
}

// Leads says whether this worker was the one that asks, at the last Tick.
func (s *Scout) Leads() bool { return s.leads }

// Age is how old the last page of endpoint i's metrics is, in nanoseconds; −1 where there was none.
func (s *Scout) Age(i int, now int64) int64 {
	if at := s.pages.at(i); at > 0 {
		return max(now-at, 0)
	}
	return -1
}

// Join takes over what was published, so that a new worker knows the pool before its first request. It asks nobody.
func (s *Scout) Join(now int64) {
	if s.lookPath != "" {
		s.followRoster(now)
	}
	if s.askedBy {
		s.board.Look(now) // pages are held against what is in flight as they come: peers that are heard of later count twice
		s.followPages()
	}
}

// Tick takes over what was published and, where this worker leads, asks for what is due. Call it once a Period.
func (s *Scout) Tick(now int64) {
	if now < s.ticked { // the clock was set back: nothing is to wait until it is what it was
		s.second, s.look = now-1e9, job{}
		clear(s.jobs)
	}
	if now-s.second >= 1e9 {
		s.second = now
		s.router.Tick(now)
		s.board.Tick(now)
	}
	led := s.leads
	s.campaign(now)
	s.board.Look(now)
	if !led { // the first time as leader, too: it goes on from what the last one knew
		s.Join(now)
	}
	if s.leads {
		s.askAdmin(now)
		s.askEndpoints(now)
		s.publishPages()
	}
	s.ticked = now
}

// campaign stands for election.
func (s *Scout) campaign(now int64) {
	record, version, ok := s.store.Get(s.leaseKey)
	if !ok {
		record, version = nil, 0
	}
	self := s.board.Self()
	next, standing := load.Campaign(record, self, now, lease)
	switch standing {
	case load.Follow:
		s.leads = false
	case load.Lead:
		s.leads = true
	default:
		s.buffer = load.AppendLease(s.buffer[:0], next)
		s.leads = self != 0 && s.store.Set(s.leaseKey, s.buffer, version)
		if s.leads && version == 0 { // two may have found the key missing: the last to write it leads
			record, _, _ := s.store.Get(s.leaseKey)
			have, _ := load.ReadLease(record)
			s.leads = have.Owner == self
		}
	}
}

// generation names what indices mean.
func (s *Scout) generation() load.Generation {
	return load.Generation(0).With(s.rosterKey).With(strconv.FormatUint(uint64(s.roster.epoch), 10))
}

// followRoster takes over the published endpoints.
func (s *Scout) followRoster(now int64) {
	value, _, ok := s.store.Get(s.rosterKey)
	if ok && s.roster.read(value) {
		s.apply(now)
	}
}

// apply makes the router's pool what the roster says.
func (s *Scout) apply(now int64) {
	if g := s.generation(); g != s.means {
		s.means = g
		s.board.Follow(g)
		s.pages.clear()
	}
	rows := s.roster.rows
	s.router.Arrange(len(rows), func(i int) (config.Endpoint, bool) { return rows[i].endpoint, rows[i].present }, now)
	for i := range rows {
		if row := &rows[i]; row.present {
			s.router.SetState(i, !row.healthy, row.draining, now)
		}
	}
}

// followPages takes over the published metrics.
func (s *Scout) followPages() {
	if value, _, ok := s.store.Get(s.pagesKey); ok {
		s.pages.read(value, s.roster.epoch, len(s.router.Endpoints), s.router.Scraped)
	}
}

func (s *Scout) publishPages() {
	if !s.unsaid {
		return
	}
	s.unsaid = false
	s.buffer = s.pages.append(s.buffer[:0], s.roster.epoch)
	s.store.Set(s.pagesKey, s.buffer, 0)
}
