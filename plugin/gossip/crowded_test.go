package gossip

import (
	"fmt"
	"math"
	"testing"

	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
)

// Speeds and load of 1,024 endpoints and a long prompt do not fit into one page; all of them arrive. (Speeds were left out where the
// load took the page, and a prompt that came with them was lost.)
func TestManyEndpoints(t *testing.T) {
	for _, c := range []struct {
		form   string
		speeds bool // fit into a page
	}{
		{"10.%d.%d.%d:8000", true},
		{"[2001:db8::%d:%d:%d]:8000", true},                        // a long prompt does not fit beside them
		{"[2001:db8:85a3:8d3:1319:8a2e:1%03d:2%03d]:3%03d", false}, // nor beside the load
	} {
		t.Run(c.form, func(t *testing.T) { manyEndpoints(t, c.form, c.speeds) })
	}
}

func manyEndpoints(t *testing.T, form string, speeds bool) {
	const endpoints, blocks = 1024, 1000
	m := newMeshAt(t, 2, endpoints, form)
	m.run(4)
	a, b := m.gateways[0], m.gateways[1]
	m.respond(a, endpoints-1, 60, 1e-3)
	for i := range endpoints {
		if i < endpoints-1 {
			m.answer(a, i, 1000, 1e-4)
		}
		m.send(a, i, i, 1000)
	}
	long := &prefix.Chain{}
	for i := range uint64(blocks) {
		long.Hash, long.End = append(long.Hash, 1e12+i), append(long.End, uint32(i+1)*256)
	}
	a.board.Tick(m.now)
	for range 60 { // such prompts come all the time
		a.pool.Index.Insert(3, long, uint32(m.now/ms))
		a.board.RecordRouted(3, pool.Visit{Chain: long, At: m.now}, m.now)
		m.run(1)
	}
	for _, i := range []int{0, endpoints / 2, endpoints - 1} {
		if got := b.pool.Counted(i); got != 1 {
			t.Errorf("endpoint %d: %v requests are known, want 1", i, got)
		}
	}
	if fast, slow := b.pool.PerToken(0), b.pool.PerToken(endpoints-1); speeds && slow < 5*fast {
		t.Errorf("the slow endpoint takes %v s a token, others %v; where it was seen %v", slow, fast, a.pool.PerToken(endpoints-1))
	}
	if _, ok := b.pool.Index.Touched(3, long.Hash, blocks); !ok {
		t.Error("the long prompt is not known")
	}
	if len(m.faults) > 0 {
		t.Errorf("faults %v", m.faults)
	}
}

// What many gateways have to tell at once is taken over in as many ticks as other workers need to read it.
func TestManyTellMuch(t *testing.T) {
	const others, each = 11, 900
	m := newMesh(t, 1+others)
	m.run(8)
	g := m.gateways[0]
	for i, other := range m.gateways[1:] {
		for n := range each {
			m.send(other, n%2, 10_000*(i+1)+n, 1)
		}
	}
	for range 20 {
		before := g.next
		m.run(1)
		if took := g.next - before; took > 2*entriesEachTick {
			t.Fatalf("%d entries are taken over in a tick", took)
		}
	}
	missing := 0
	for i := range others {
		for n := each - 100; n < each; n++ {
			if !g.holds(n%2, 10_000*(i+1)+n) {
				missing++
			}
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d prompts are not known", missing, 100*others)
	}
}

// The loads that a gateway passes on are more than a page has: each is told within a few ticks.
func TestRelayedLoadsTakeTurns(t *testing.T) {
	const gateways, endpoints = 60, 200
	m := newMeshOf(t, 1, endpoints)
	g := m.gateways[0]
	g.peers = nil
	for i := range gateways {
		o := origin{incarnation: uint64(1e6 + i), at: m.now}
		for e := range g.pool.Endpoints {
			o.loads = append(o.loads, load{EndpointLoad: news.EndpointLoad{Address: g.pool.Endpoints[e].Address, Load: news.Load{InFlight: 1, Waiting: 1}}})
		}
		g.origins = append(g.origins, o)
		g.peers = append(g.peers, peer{address: fmt.Sprint(i), incarnation: o.incarnation})
	}
	told := map[uint64]bool{}
	for range gateways {
		g.publishLoads(m.now)
		ask := news.Ask{From: 5, Number: 6, Dialect: g.dialect, Relay: true}
		page, _, fault := g.Answer(ask.Append(nil, g.keys[0]), m.now)
		var r news.Reader
		if fault != "" || r.Begin(page, &ask, g.keys[0]) != nil {
			t.Fatal(fault)
		}
		for r.Next() == news.LoadRecord {
			told[r.Gateway] = true
		}
	}
	if len(told) != gateways+1 {
		t.Errorf("the loads of %d gateways are told, want %d", len(told), gateways+1)
	}
}

// The count of turns wraps around: an int has 32 bits in the module.
func TestTurnsWrapAround(t *testing.T) {
	m := newMesh(t, 3)
	m.run(8)
	g := m.gateways[0]
	if len(g.origins) == 0 {
		t.Fatal("no gateway is known")
	}
	g.turn = math.MaxInt
	g.publishLoads(m.now)
}
