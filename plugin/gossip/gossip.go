// Package gossip lets gateways know what the others know: which endpoint holds which prompts, and the load that each has put on the
// endpoints. Each gateway asks the others for their news (package news is the wire format), and is answered as soon as there are some;
// there is no store and no other process.
//
// One worker of a gateway asks, the one that leads (package scout): it writes what it is told into the proxy's shared data, where
// all workers read it (package share). Any worker answers, from the same shared data.
//
//	positions   a page ends in positions in the answering gateway's logs; the next ask has them, so that nothing is told twice
//	incarnation a number drawn when a gateway starts; under another one its positions mean nothing, and reading begins anew
//	snapshot    a gateway that starts reads all that one other gateway knows, page after page, before it asks the others
//	silence     the load of a gateway that gives no news fades in seconds; what the caches hold because of it stays
//	hold        an answer waits until there is something to tell (hold.go), so that news take no longer than they must
//	relay       from direct+1 gateways on, each asks a few, so chosen that those have asked all others (grid.go), and is told
//	            what they were told by gateways that they asked themselves
//
//	secrets     a gateway may know several, while they are changed: each other one is asked under the first that it knows
//
// A page is believed only with a code under the gateways' secret. Whoever has the secret can at worst make routing bad: entries
// are bounded for each page and tick, loads are sums that fade, and no request depends on either.
package gossip

import (
	"strconv"

	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
	"warmroute/plugin/share"
)

// Header is the request header that carries an ask, in hexadecimal digits.
const Header = "x-warmroute-news"

const (
	// direct is the most other gateways that each asks itself.
	direct = 31

	// entriesEachTick bounds the entries taken over in a tick: half of those that the other workers can read, so that those that
	// tick a little later miss none.
	entriesEachTick = 2048

	// scanned bounds the entries that are looked at to make a page.
	scanned = 2048

	snapshotFor = 3e9  // nanoseconds after which a gateway goes on without a snapshot
	fullFor     = 1e9  // nanoseconds for which a load counts in full, or three intervals
	fadeFor     = 3e9  // and in which it fades then
	forgetAfter = 60e9 // nanoseconds after which a silent gateway is forgotten
	renewAfter  = 1e9  // nanoseconds from Renew until all is asked for once more
	renewEvery  = 10e9 // and between two times
	longestWait = 2e9  // between two asks of a gateway that does not answer
	askGrace    = 2e8  // after its timeout, until an ask counts as lost
)

// Gossip is one worker's part. It is not safe for concurrent use.
type Gossip struct {
	pool     *pool.Pool
	board    *share.Board
	store    share.Store
	keys     []news.Key
	dialect  uint64
	own      uint64 // incarnation
	interval int64  // nanoseconds
	timeout  int64
	hold     int64 // an ask, at most; it depends on how many gateways there are

	leads   bool
	ticked  int64
	since   int64 // when it began to lead, with other gateways known
	renewal int64 // when all is to be asked for once more; 0: not
	renewed int64
	whole   bool   // a snapshot has been read, or there is none to be had
	number  uint64 // of the last ask
	fresh   uint64 // the low bits of a number
	next    uint64 // of the log of other gateways' entries
	budget  int    // entries that this tick may still take over
	epoch   uint32 // of the list of peers
	peers   []peer // by address, in order
	wanted  []bool // peers that are asked
	self    int    // of this gateway in peers; −1: not known
	origins []origin
	index   []share.GatewayLoad // sums by endpoint, of publish
	lines   []queue.Line        // of all, by endpoint, of publish

	reader  news.Reader
	writer  news.Writer
	export  share.Export
	asked   news.Ask
	under   news.Key // asked's
	buffer  []byte
	loadKey string
	turn    uint         // of publishLoads; it wraps around
	busy    []int        // endpoints with load, of ownLoad, or with known speeds
	speeds  []pool.Speed // of others, by endpoint, behind those of all
	told    int64        // when the speeds were written and read last
	held    []queue.Hold // what waits, at others or at this gateway
	tells   []news.Hold  // of ownLoad
	asks    Budget
	oldest  int64   // ms: the oldest entry of the page that is read
	late    float64 // ms: how old the oldest entry of a page is, smoothed
	stats   Stats
}

// Stats is what has happened, for the metrics. Counts are since the last call of Stats.
type Stats struct {
	Peers    int   // other gateways that answered within the last seconds
	Former   int   // of them, those that do not know the first secret
	Age      int64 // ns since the one that is silent for longest answered; of those that are still counted
	Entries  int   // taken over
	Unknown  int   // entries about endpoints that are not in the pool
	BytesIn  int
	BytesOut int
	Answers  int
}

// Dialect says how prompts are hashed, under which key; gateways that hash otherwise have nothing to tell each other.
func Dialect(key news.Key, blockBytes int, name string) uint64 {
	return key.Derive("dialect 1 " + strconv.Itoa(blockBytes) + " " + name)
}

// Options are what a Gossip needs to know.
type Options struct {
	Keys              []news.Key // at least one: news.Secrets
	Dialect           uint64
	Name              string // of the pool, in shared data
	Fresh             uint64 // any random number
	Interval, Timeout int64  // nanoseconds
}

// New makes the part of a worker with this pool and board.
func New(o Options, p *pool.Pool, b *share.Board, store share.Store) *Gossip {
	b.Heard = true
	b.EnableGateways(o.Name)
	own := share.Incarnation(store, max(o.Fresh, 1))
	return &Gossip{
		pool: p, board: b, store: store, keys: o.Keys, dialect: o.Dialect, own: own, interval: o.Interval, timeout: o.Timeout, hold: holdOf(o.Interval, 0),
		self: -1, renewed: -renewEvery, fresh: o.Fresh & (1<<freshBits - 1), loadKey: "warmroute.news.1." + o.Name,
	}
}

// Epoch is that of the list of gateways: an answer to an ask of another one must be ignored.
func (g *Gossip) Epoch() uint32 { return g.epoch }

// Dialect is how this gateway hashes prompts.
func (g *Gossip) Dialect() uint64 { return g.dialect }

// Tick begins a turn: leads says that this worker asks for all. Call Ask afterwards until there is no more to ask.
func (g *Gossip) Tick(now int64, leads bool) {
	if now-g.told >= speedsEvery || now < g.told {
		g.told = now
		g.shareSpeeds(now)
	}
	if !leads {
		g.leads = false
		return
	}
	if !g.leads {
		g.lead(now)
	}
	if now < g.ticked {
		g.turnBack(now)
	}
	if g.ticked = now; g.renewal != 0 && now >= g.renewal && len(g.peers) > 0 {
		g.renew(now)
	}
	g.budget = entriesEachTick
	g.forget(now)
	g.choose()
	if !g.whole && g.since > 0 && (now-g.since > snapshotFor || now < g.since || g.exhausted()) {
		g.whole = true
	}
	g.publish(now)
}

// turnBack is called when the clock was set back: nothing may wait until it is there again, or be believed until then.
func (g *Gossip) turnBack(now int64) {
	for i := range g.peers {
		p := &g.peers[i]
		p.due, p.until, p.heard = now, 0, min(p.heard, now)
	}
	g.renewal, g.renewed = min(g.renewal, now), min(g.renewed, now)
	for i := range g.origins {
		o := &g.origins[i]
		o.at, o.viaAt, o.spedAt = min(o.at, now), min(o.viaAt, now), min(o.spedAt, now)
	}
}

// lead goes on where another worker has stopped to ask. It has no positions: the others give what is recent once more.
func (g *Gossip) lead(now int64) {
	g.leads, g.origins = true, g.origins[:0]
	g.next, g.whole = g.board.ResumeGateways()
	g.since = 0
	if len(g.peers) > 0 {
		g.since = now
	}
	for i := range g.peers {
		g.peers[i] = peer{address: g.peers[i].address, due: now}
	}
	g.self = -1
}

// Renew asks once more for all that others know, in a second: of endpoints that have joined, what was told before is lost. Others may join
// meanwhile, or all the time.
func (g *Gossip) Renew(now int64) {
	if g.renewal == 0 {
		g.renewal = max(now+renewAfter, g.renewed+renewEvery)
	}
}

func (g *Gossip) renew(now int64) {
	g.renewal, g.renewed = 0, now
	g.whole, g.since = false, now
	for i := range g.peers {
		p := &g.peers[i]
		p.at, p.empty, p.renewed = p.at[:0], false, p.until != 0
	}
}
