// Package scout keeps what the workers know of the pool up to date. One of them, elected by a lease in the proxy's shared
// data, asks the proxy's admin interface which endpoints there are, and each endpoint for its metrics, through HTTP
// calls of the proxy. It publishes what it learns, and all workers take that over at their next tick:
//
//	lease     which worker leads (lease.go)
//	roster    the endpoints by index (roster.go)
//	metrics   the last metrics of each, as far as routing needs them (metrics.go)
//
// Besides, it ticks each worker's router and board once a second.
//
// When a leader stops, another one takes over at once if it resigns, else at the end of its lease, and goes on from what was published. After a
// failure, what was known before stays in force: old metrics count for less and less, an old roster stays.
package scout

import (
	"strconv"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/gossip"
	"warmroute/plugin/pool"
	"warmroute/plugin/share"
)

// Scout is one worker's part. It is not safe for concurrent use.
type Scout struct {
	cfg    *config.Config
	pool   *pool.Pool
	board  *share.Board
	store  share.Store
	caller Caller

	leads      bool
	leaseKey   string
	rosterKey  string
	metricsKey string
	modelsKey  string
	buffer     []byte

	roster       roster
	generation   share.Generation // what indices mean
	hostReader   clusters.Reader
	hosts        []clusters.Host
	ranks        []clusters.Host // of those hosts
	learns       bool            // servers have as many ranks as their pages name
	learned      map[string]int  // data-parallel ranks of the servers that have several
	grown        int             // endpoints that this adds, since the roster was made
	discovery    poll            // of the admin interface
	clustersPath string          // to ask it for; "": the endpoints are configured
	joining      bool            // not all of the roster's endpoints are in the pool yet

	loadReader  exposition.Reader
	metrics     metrics
	polls       []poll // by endpoint
	pace        pace
	lastPolled  int   // endpoint
	lastTick    int64 // nanoseconds
	lastSecond  int64 // nanoseconds: when router and board last ticked
	unpublished bool  // metrics are newer than what was published
	scrapes     bool  // metrics are asked for at all
	catalog     catalog

	gossip       *gossip.Gossip // nil: gateways share nothing
	gateways     poll           // of the admin interface, for their addresses
	gatewaysPath string
	peers        []string          // as configured, in order
	through      map[string]string // by a gateway's address: the proxy's listener that leads there, if there is one
	tunnels      bool              // endpoints are behind such listeners
}

// poll is a call that is made periodically. Nanoseconds.
type poll struct {
	due   int64
	began int64 // the last time
	until int64 // while it is pending: when it counts as lost; else 0
}

const (
	keyPrefix   = share.KeyPrefix
	leaseLength = 5e9      // nanoseconds; ticks are at most RestPeriod apart
	piece       = 64 << 10 // bytes of a response that are read at a time
	maxCalls    = 64       // pending
)

// New makes the scout of a worker.
func New(cfg *config.Config, p *pool.Pool, b *share.Board, store share.Store, caller Caller, now int64) *Scout {
	// Filters of one VM share its data; those of other pools have other keys.
	key := share.Generation(0).With(cfg.Discovery.AdminCluster).With(cfg.Discovery.Cluster).With(cfg.Scrape.Cluster).With(cfg.Scrape.Path)
	for _, e := range cfg.Endpoints { // all that the roster has of them
		key = key.With(e.Address + "\n" + e.Cluster + "\n" + e.Zone + "\n" + strconv.Itoa(e.Weight))
	}
	if b.Name() != "" { // pools may have the same sources, but the numbers of their workers are apart
		key = key.With(b.Name())
	}
	learns := cfg.LearnsRanks()
	if cfg.Discovery.Cluster != "" || learns { // the roster depends on these too
		key = key.With(cfg.Steer.Target.String()).With(strconv.Itoa(cfg.Ring.Vnodes))
		if cfg.DataParallelRanks > 1 || learns {
			key = key.With(strconv.Itoa(cfg.DataParallelRanks))
		}
	}
	name := string(bytestr.AppendHex([]byte{'.'}, uint64(key), 8))
	s := &Scout{
		cfg: cfg, pool: p, board: b, store: store, caller: caller,
		leaseKey: keyPrefix + "lease" + name, rosterKey: keyPrefix + "roster" + name, metricsKey: keyPrefix + "metrics" + name, modelsKey: keyPrefix + "models" + name,
		learns: learns, scrapes: cfg.Scrape.Path != "", lastTick: now, lastSecond: now,
	}
	s.roster.vnodes = cfg.Ring.Vnodes
	if cfg.Discovery.Cluster != "" {
		s.clustersPath = HostsPath + Filter(cfg.Discovery.Cluster)
	}
	if s.hasRoster() {
		s.generation = s.rosterGeneration()
		b.SetGeneration(s.generation)
	}
	b.Tick(now) // finds the peers, for ReadPublished
	return s
}

// Leads says whether this worker led at the last Tick.
func (s *Scout) Leads() bool { return s.leads }

// Resign lets another worker lead from its next Tick on: none follows here. After a stall the lease may be another's already, though this
// worker led at its last Tick.
func (s *Scout) Resign() {
	record, version, _ := s.store.Get(s.leaseKey)
	if l, ok := readLease(record); ok && s.leads && l.owner == s.board.ID() {
		s.store.Set(s.leaseKey, nil, version)
	}
	s.leads = false
}

// hasRoster says whether endpoints may come and go.
func (s *Scout) hasRoster() bool { return s.clustersPath != "" || s.learns }

// ReadPublished takes over what was published, so that a new worker knows the pool before its first request.
func (s *Scout) ReadPublished(now int64) {
	if s.hasRoster() {
		s.readRoster(now)
	}
	if s.scrapes {
		s.board.ReadPeers(now) // first: metrics are compared with what is in flight, and peers read later would count twice
		s.readMetrics()
	}
	if s.cfg.Scrape.Models != "" {
		s.readModels()
	}
}

// Tick takes over what was published and, if this worker leads, asks for what is due. Call it once a Period.
func (s *Scout) Tick(now int64) {
	if now < s.lastTick { // the clock was set back: nothing may wait until it is there again
		s.lastSecond, s.discovery, s.gateways = now-1e9, poll{}, poll{}
		clear(s.polls)
		clear(s.catalog.polls)
	}
	if now-s.lastSecond >= 1e9 {
		s.lastSecond = now
		s.pool.Tick(now)
		s.board.Tick(now)
		if s.gossip == nil {
			s.board.ShareSpeeds(now)
		}
	}
	if s.joining {
		s.apply(now)
	}
	led := s.leads
	s.elect(now)
	s.board.Settle(now)
	s.board.ReadPeers(now)
	s.setPace(now)
	if !led { // also at its first tick as leader: it goes on from what the last one knew
		s.ReadPublished(now)
		s.hosts = s.hosts[:0] // they are what another leader has known, if any
	}
	if s.leads {
		s.requestHosts(now)
		s.growRanks(now)
		s.requestMetrics(now)
		s.publishMetrics()
		if s.cfg.Scrape.Models != "" {
			s.requestModels(now)
			s.publishModels()
		}
	}
	if s.gossip != nil {
		s.tickGateways(now)
	}
	s.lastTick = now
}

// elect finds out whether this worker leads.
func (s *Scout) elect(now int64) {
	record, version, ok := s.store.Get(s.leaseKey)
	if !ok {
		record, version = nil, 0
	}
	self := s.board.ID()
	next, standing := elect(record, self, now, leaseLength, s.weakness())
	switch standing {
	case follower:
		s.leads = false
	case leader:
		s.leads = true
	default:
		s.buffer = appendLease(s.buffer[:0], next)
		s.leads = self != 0 && s.store.Set(s.leaseKey, s.buffer, version)
		if s.leads && version == 0 { // two may have found the key missing: the last to write it leads
			record, _, _ := s.store.Get(s.leaseKey)
			current, _ := readLease(record)
			s.leads = current.owner == self
		}
	}
}

// rosterGeneration is the generation of the roster: an endpoint keeps its index as long as the epoch stays.
func (s *Scout) rosterGeneration() share.Generation {
	return share.Generation(0).With(s.rosterKey).With(strconv.FormatUint(uint64(s.roster.epoch), 10))
}

// readRoster takes over the published endpoints.
func (s *Scout) readRoster(now int64) {
	value, _, ok := s.store.Get(s.rosterKey)
	if ok && s.roster.read(value) {
		s.recallRanks()
		s.apply(now)
	}
}

// apply makes the pool what the roster says.
func (s *Scout) apply(now int64) {
	if g := s.rosterGeneration(); g != s.generation {
		s.generation = g
		s.board.SetGeneration(g)
		s.metrics.clear()
		s.keepModels()
	}
	rows := s.roster.rows
	s.joining = s.pool.SetMembers(len(rows), func(i int) (config.Endpoint, bool) { return rows[i].endpoint, rows[i].present }, now)
	for i := range rows {
		if row := &rows[i]; row.present {
			s.pool.SetState(i, !row.healthy, row.draining, now)
		}
	}
	s.applyModels()
	s.findTunnels()
}
