package gossip

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prefix/prefixtest"
	"warmroute/plugin/prompt"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

const (
	ms    = int64(1e6)
	start = int64(1_767_225_600e9) // the year 2026: a clock of today has more milliseconds than an age
)

// gateway is a proxy of one worker.
type gateway struct {
	*Gossip
	pool  *pool.Pool
	board *share.Board
	at    string // address
}

// mesh is gateways that reach each other.
type mesh struct {
	t        *testing.T
	gateways []*gateway
	cut      map[string]bool // addresses that nobody reaches
	now      int64
	held     []func() // answers that wait for the next tick
	faults   map[Fault]int
	pages    int
	largest  int

	endpoints string // of begin, as in a configuration; "": two
}

const secret = "sixteen characters"

// begin makes gateway i, or one that replaces it.
func (m *mesh) begin(i int, secret string) *gateway {
	m.t.Helper()
	endpoints := cmp.Or(m.endpoints, `"10.0.0.1:80","10.0.0.2:80"`)
	cfg, err := config.Parse([]byte(`{"endpoints":[` + endpoints + `],"seed":1}`))
	if err != nil {
		m.t.Fatal(err)
	}
	p := pool.New(&cfg, cfg.IndexBytes)
	store := memstore.New()
	b := share.New(store, p)
	secrets, wrong := news.ReadSecrets(secret)
	if wrong != "" {
		m.t.Fatal(wrong)
	}
	g := &gateway{pool: p, board: b, at: address(i)}
	m.pages++
	g.Gossip = New(Options{
		Keys: secrets.Keys, Dialect: Dialect(secrets.Hashes, 256, ""), Name: "x", Fresh: uint64(1000*m.pages + i + 1), Interval: 50 * ms, Timeout: 500 * ms,
	}, p, b, store)
	b.Sync(m.now)
	for len(m.gateways) <= i {
		m.gateways = append(m.gateways, nil)
	}
	m.gateways[i] = g
	return g
}

func address(i int) string { return fmt.Sprintf("10.1.0.%d:9902", i+1) }

func newMesh(t *testing.T, n int) *mesh { return newMeshOf(t, n, 2) }

// newMeshOf is n gateways of so many endpoints.
func newMeshOf(t *testing.T, n, endpoints int) *mesh {
	t.Helper()
	return newMeshAt(t, n, endpoints, "10.%d.%d.%d:8000")
}

// newMeshAt is newMeshOf with another form of addresses.
func newMeshAt(t *testing.T, n, endpoints int, form string) *mesh {
	t.Helper()
	m := &mesh{t: t, now: start, cut: map[string]bool{}, faults: map[Fault]int{}}
	for i := range endpoints {
		m.endpoints += `"` + fmt.Sprintf(form, 100+i/65536, i/256%256, i%256) + `",`
	}
	m.endpoints = strings.TrimSuffix(m.endpoints, ",")
	if endpoints == 2 {
		m.endpoints = ""
	}
	for i := range n {
		m.begin(i, secret)
	}
	for _, g := range m.gateways {
		g.SetPeers(m.addresses(), m.now)
	}
	return m
}

func (m *mesh) addresses() (all []string) {
	for i := range m.gateways {
		all = append(all, address(i))
	}
	return all
}

// run lets so many ticks of 50 ms pass.
func (m *mesh) run(ticks int) {
	for range ticks {
		m.now += 50 * ms
		held := m.held
		m.held = nil
		for _, answer := range held {
			answer()
		}
		for _, g := range m.gateways {
			if (m.now/(50*ms))%20 == 0 {
				g.board.Tick(m.now)
				g.pool.Tick(m.now)
			}
			g.Tick(m.now, true)
			for c, ok := g.Ask(m.now); ok; c, ok = g.Ask(m.now) {
				m.carry(g, c)
			}
			g.board.ReadPeers(m.now)
		}
	}
}

func (m *mesh) carry(g *gateway, c Call) {
	if m.cut[c.Address] || m.cut[g.at] && c.Address != g.at {
		return // lost
	}
	for _, other := range m.gateways {
		if other.at != c.Address {
			continue
		}
		answer := func() {
			page, _, fault := other.Answer(news.FromHex(c.Header), m.now)
			m.largest = max(m.largest, len(page))
			status := 200
			if fault != "" {
				status = 403
				m.faults[fault]++
			}
			if fault := g.Answered(c.Peer, status, append([]byte(nil), page...), m.now); fault != "" {
				m.faults[fault]++
			}
		}
		if hold, _, _ := other.Patience(news.FromHex(c.Header), func() {}, m.now); hold > 0 {
			m.held = append(m.held, answer)
		} else {
			answer()
		}
		return
	}
	g.Unsent(c.Peer, m.now)
}

func chainOf(n int) *prefix.Chain {
	at := uint64(n)*1000 + 7
	return &prefix.Chain{Hash: []uint64{at + 1, at + 2, at + 3}, End: []uint32{256, 512, 512 + 16<<10}}
}

// send lets a gateway route request n to an endpoint, with tokens to compute there.
func (m *mesh) send(g *gateway, endpoint, n, tokens int) *pool.Flight {
	f := new(pool.Flight)
	g.pool.Prepare(f, &prompt.Prompt{Text: make([]byte, 4*tokens), Stream: true}, nil, 0)
	g.pool.Begin(f, endpoint, m.now)
	g.pool.Index.Insert(endpoint, chainOf(n), uint32(m.now/ms))
	g.board.RecordRouted(endpoint, pool.Visit{Chain: chainOf(n), At: m.now}, m.now)
	return f
}

func (g *gateway) holds(endpoint, n int) bool {
	_, ok := g.pool.Index.Touched(endpoint, chainOf(n).Hash, 3)
	return ok
}

// uses is how many blocks of request n are in use at an endpoint. The gateway forgets what is idle there.
func (g *gateway) uses(endpoint, n int) int {
	return prefixtest.Used(g.pool.Index, endpoint, chainOf(n))
}

// What one routes, the others know: where the prompt is, and that it is in flight. When it has ended, they know that too.
func TestNewsArrive(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	f := m.send(m.gateways[0], 1, 1, 20_000)
	m.run(2)
	for i, g := range m.gateways[1:] {
		if !g.holds(1, 1) || g.pool.Counted(1) != 1 || g.pool.InFlight(1) != 0 || g.pool.Queue(1, m.now) < 15_000 {
			t.Errorf("gateway %d: holds %v, counts %v, own %d, queue %v", i+1, g.holds(1, 1), g.pool.Counted(1), g.pool.InFlight(1), g.pool.Queue(1, m.now))
		}
	}
	if got := m.gateways[0].pool.Counted(1); got != 1 {
		t.Errorf("the gateway that routed it counts %v: its own news have come back", got)
	}
	g := m.gateways[0]
	if got := m.gateways[1].uses(1, 1); got != 3 {
		t.Errorf("another gateway knows of %d blocks in use, want 3", got)
	}
	g.pool.End(m.send(g, 1, 2, 100), m.now, pool.Outcome{})
	g.board.Record(1, pool.Visit{Step: prefix.Ended, Chain: chainOf(2), First: 3, Sent: m.now, At: m.now}, m.now)
	g.board.Record(1, pool.Visit{Step: prefix.Lost, Chain: chainOf(1), At: m.now}, m.now)
	g.pool.End(f, m.now, pool.Outcome{Ending: health.Cancelled})
	g.board.Publish(m.now)
	m.run(2)
	if g := m.gateways[1]; !g.holds(1, 2) || g.uses(1, 1) != 0 || g.uses(1, 2) != 0 {
		t.Errorf("what has ended is held: %v; of what was lost %d blocks are in use, of that %d", g.holds(1, 2), g.uses(1, 1), g.uses(1, 2))
	}
	if g := m.gateways[2]; g.holds(1, 1) || g.pool.Counted(1) != 0 || g.pool.Queue(1, m.now) != 0 {
		t.Errorf("after it was lost: holds %v, counts %v, queue %v", g.holds(1, 1), g.pool.Counted(1), g.pool.Queue(1, m.now))
	}
	if len(m.faults) > 0 {
		t.Errorf("faults %v", m.faults)
	}
	if s := g.Stats(m.now); s.Peers != 2 || s.BytesIn == 0 || s.BytesOut == 0 || s.Age > 100*ms {
		t.Errorf("stats %+v", s)
	}
}

// A gateway that starts anew knows within two seconds what the others knew, of its own former requests too. It may be asked
// by nobody before.
func TestRestart(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	const each = 700
	for n := range 3 * each {
		m.send(m.gateways[n%3], n%2, n, 10)
		if n%50 == 0 {
			m.run(1)
		}
	}
	m.run(4)
	g := m.begin(1, secret)
	g.SetPeers(m.addresses(), m.now)
	for tick := 1; ; tick++ {
		m.run(1)
		known := 0
		for n := range 3 * each {
			if g.holds(n%2, n) {
				known++
			}
		}
		if known == 3*each {
			t.Logf("after %d ms, in pages of at most %d bytes", 50*tick, m.largest)
			break
		}
		if tick == 40 {
			t.Fatalf("after two seconds it knows %d of %d", known, 3*each)
		}
	}
	if m.largest > news.MaxPage {
		t.Errorf("a page of %d bytes", m.largest)
	}
	m.run(4)
	m.send(g, 0, 9999, 10)
	m.run(2)
	if !m.gateways[0].holds(0, 9999) || !m.gateways[2].holds(0, 9999) {
		t.Error("the others do not know what it routes since")
	}
}

// The load of a gateway that is silent fades within five seconds; what caches hold because of it stays.
func TestSilence(t *testing.T) {
	m := newMesh(t, 2)
	m.run(4)
	m.send(m.gateways[0], 0, 1, 5000)
	m.run(2)
	m.cut[address(0)] = true
	g := m.gateways[1]
	last := g.pool.Counted(0)
	for range 100 {
		m.run(1)
		if got := g.pool.Counted(0); got > last {
			t.Fatalf("its load grows to %v", got)
		} else {
			last = got
		}
	}
	if last != 0 || g.pool.Queue(0, m.now) != 0 || !g.holds(0, 1) {
		t.Errorf("after five seconds: counts %v, queue %v, holds %v", last, g.pool.Queue(0, m.now), g.holds(0, 1))
	}
	for n := range 20 {
		m.send(m.gateways[0], 0, 100+n, 1)
	}
	delete(m.cut, address(0))
	m.run(60)
	for n := range 20 {
		if !g.holds(0, 100+n) {
			t.Errorf("after the partition it does not know request %d", n)
		}
	}
}

// Gateways with another secret, or that hash otherwise, share nothing, and say why.
func TestStrangers(t *testing.T) {
	m := newMesh(t, 2)
	m.begin(1, "another secret of many characters").SetPeers(m.addresses(), m.now)
	m.run(100)
	m.send(m.gateways[0], 0, 1, 10)
	m.run(10)
	if m.gateways[1].holds(0, 1) || m.faults[Secret] == 0 || m.faults[Refused] == 0 {
		t.Errorf("holds %v, faults %v", m.gateways[1].holds(0, 1), m.faults)
	}
	key := news.NewKey(secret)
	m.gateways[1].keys, m.gateways[1].dialect = []news.Key{key}, Dialect(key, 512, "")
	m.run(100)
	if m.gateways[1].holds(0, 1) || m.faults[Hashing] == 0 {
		t.Errorf("holds %v, faults %v", m.gateways[1].holds(0, 1), m.faults)
	}
}

// Whatever a gateway answers, the asker goes on.
func TestGarbage(t *testing.T) {
	m := newMesh(t, 2)
	g, other := m.gateways[0], m.gateways[1]
	g.Tick(m.now, true)
	for n := range 200 {
		m.now += 2000 * ms
		g.Tick(m.now, true)
		c, ok := g.Ask(m.now)
		if !ok {
			continue
		}
		page, _, _ := other.Answer(news.FromHex(c.Header), m.now)
		switch page = append([]byte(nil), page...); n % 4 {
		case 0:
			page = page[:n%len(page)]
		case 1:
			page[n%len(page)] ^= 1 << (n % 8)
		case 2:
			page = append(page, page...)
		default:
			page = nil
		}
		if fault := g.Answered(c.Peer, 200, page, m.now); fault == "" {
			t.Fatalf("page %d is taken", n)
		}
	}
	if page, _, fault := other.Answer([]byte("no ask"), m.now); fault == "" || page != nil {
		t.Error("an answer to no ask")
	}
}

// Beyond direct+1 gateways each asks a few, and knows all all the same, each entry once.
func TestGrid(t *testing.T) {
	for n := 2; n <= 70; n++ {
		reached := map[int]bool{0: true}
		for _, a := range offsets(n) {
			reached[a] = true
			for _, b := range offsets(n) {
				reached[(a+b)%n] = true
			}
		}
		if len(reached) != n {
			t.Errorf("of %d gateways %d are reached", n, len(reached))
		}
	}
	const n = 40
	m := newMesh(t, n)
	m.run(30)
	for i, g := range m.gateways {
		m.send(g, i%2, i, 100)
	}
	m.run(6)
	for i, g := range m.gateways {
		for of := range n {
			if !g.holds(of%2, of) {
				t.Errorf("gateway %d does not know what %d routed", i, of)
			}
		}
		if got := g.pool.Counted(0) + g.pool.Counted(1); got != n {
			t.Errorf("gateway %d counts %v requests, want %d", i, got, n)
		}
		asked := 0
		for _, wanted := range g.wanted {
			if wanted {
				asked++
			}
		}
		if asked > 12 {
			t.Errorf("gateway %d asks %d others", i, asked)
		}
	}
	if taken := m.gateways[3].Stats(m.now).Entries; taken > n {
		t.Errorf("%d entries were taken over, of %d requests", taken, n)
	}
}

// An endpoint that is not in the pool is left out.
func TestUnknownEndpoint(t *testing.T) {
	m := newMesh(t, 2)
	m.run(4)
	g := m.gateways[0]
	g.pool.Place(2, config.Endpoint{Address: "10.0.0.3:80", Weight: 1}, m.now)
	m.send(g, 2, 1, 100)
	m.run(3)
	if s := m.gateways[1].Stats(m.now); s.Unknown != 1 || s.Entries != 0 {
		t.Errorf("stats %+v", s)
	}
}

// What sharing costs: prints, for four gateways and a number of requests a second to all of them with new prompts of so many
// bytes, what each receives and sends a second, and what it keeps in shared data, where ends are told and where not. docs/gateways.md has
// the figures.
func TestTraffic(t *testing.T) {
	const n, seconds = 4, 8
	for _, c := range []struct {
		requests, bytes, most int
		ends                  bool
	}{
		{100, 4 << 10, 30_000, false}, {1000, 4 << 10, 200_000, false}, {100, 100 << 10, 70_000, false}, {1000, 100 << 10, 500_000, false},
		{100, 4 << 10, 60_000, true}, {1000, 4 << 10, 450_000, true}, {100, 100 << 10, 120_000, true}, {1000, 100 << 10, 1_000_000, true},
	} {
		m := newMesh(t, n)
		m.run(4)
		for _, g := range m.gateways {
			g.Stats(m.now)
		}
		id := uint64(0)
		text := make([]byte, c.bytes)
		type request struct {
			g *gateway
			f *pool.Flight
		}
		var open []request
		for tick := range seconds * 20 {
			for ; len(open) > c.requests; open = open[1:] { // each takes a second
				r := open[0]
				r.g.pool.End(r.f, m.now, pool.Outcome{Ending: health.Answered})
				if c.ends {
					r.g.pool.MemoryFills(m.now)
				}
				r.g.board.RecordEnd(r.f, m.now)
			}
			for r := range c.requests / 20 {
				id++
				for k := range 8 {
					text[k] = byte(id >> (8 * k))
				}
				of := prompt.Prompt{Text: text, Stream: true}
				g := m.gateways[(r+tick)%n]
				f := new(pool.Flight)
				g.pool.Prepare(f, &of, nil, 0)
				g.pool.Begin(f, int(id%2), m.now)
				g.board.RecordRouted(int(id%2), f.Entered(), m.now)
				open = append(open, request{g, f})
			}
			m.run(1)
		}
		s := m.gateways[1].Stats(m.now)
		entries := c.requests
		if c.ends {
			entries *= 2
		}
		t.Logf("%4d requests a second of %3d KB, ends told: %v: each gateway receives %4d KB and sends %4d KB a second, in pages of at most %2d KB; takes over %d entries a second; keeps %.1f MB",
			c.requests, c.bytes>>10, c.ends, s.BytesIn/seconds/1000, s.BytesOut/seconds/1000, m.largest/1000, s.Entries/seconds, float64(m.gateways[1].store.(*memstore.Store).Bytes())/1e6)
		if s.BytesIn/seconds > c.most || s.Entries < entries*seconds*3/4*8/10 {
			t.Errorf("%d bytes a second, want at most %d; %d entries, want nearly %d", s.BytesIn/seconds, c.most, s.Entries, entries*seconds*3/4)
		}
	}
}
