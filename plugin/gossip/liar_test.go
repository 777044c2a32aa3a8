package gossip

import (
	"fmt"
	"testing"

	"warmroute/plugin/news"
)

// liar is a gateway with the right secret that answers as it likes, in place of gateway 1 of three.
type liar struct {
	*mesh
	g      *gateway // whom it lies to
	writer news.Writer
}

func newLiar(t *testing.T) *liar {
	l := &liar{mesh: newMesh(t, 3)}
	l.run(8)
	l.g = l.gateways[0]
	return l
}

// answers lets it give its pages for so many ticks, and says how many; nobody else is asked.
func (l *liar) answers(ticks int, page func(ask *news.Ask) []byte) (pages int) {
	l.forgetAsks()
	defer l.forgetAsks()
	for range ticks {
		l.now += 50 * ms
		l.g.Tick(l.now, true)
		for c, ok := l.g.Ask(l.now); ok && pages < 10_000; c, ok = l.g.Ask(l.now) {
			if c.Address != address(1) {
				continue
			}
			ask := new(news.Ask)
			if err := ask.Read(news.FromHex(c.Header), l.g.keys[0]); err != nil {
				l.t.Fatal(err)
			}
			pages++
			if fault := l.g.Answered(c.Peer, 200, page(ask), l.now); fault != "" {
				l.faults[fault]++
			}
		}
		l.g.board.ReadPeers(l.now)
	}
	return pages
}

// forgetAsks lets every gateway be asked anew.
func (l *liar) forgetAsks() {
	l.held = nil
	for _, g := range l.gateways {
		for i := range g.peers {
			g.peers[i].until, g.peers[i].due = 0, l.now
		}
	}
}

func loadOf(inFlight int, addresses ...string) (int, func(i int) (string, news.Load)) {
	return len(addresses), func(i int) (string, news.Load) { return addresses[i], news.Load{InFlight: inFlight, Work: 1e6} }
}

// One whose pages always have more to come, and nothing in them, is asked no oftener than one that has.
func TestEndlessPages(t *testing.T) {
	l := newLiar(t)
	if n := l.answers(200, func(ask *news.Ask) []byte {
		l.writer.Begin(7, ask, true)
		return l.writer.End(nil, true, l.g.keys[0])
	}); n > inARow+10*asksMost+2*200 {
		t.Errorf("%d asks in ten seconds", n)
	}
}

// Each gateway speaks of its own load alone.
func TestLoadOfOthers(t *testing.T) {
	l := newLiar(t)
	l.send(l.gateways[2], 1, 1, 100)
	l.run(2)
	l.answers(3, func(ask *news.Ask) []byte {
		l.writer.Begin(7, ask, true)
		for _, of := range []uint64{7, l.gateways[2].own, 8} {
			n, at := loadOf(1000, "10.0.0.1:80")
			l.writer.Load(of, 0, 50, []news.Hold{{Requests: 1 << 19, Size: 1}}, n, at)
		}
		return l.writer.End(nil, false, l.g.keys[0])
	})
	if a, b := l.g.pool.Counted(0), l.g.pool.Counted(1); a != 1000 || b != 1 {
		t.Errorf("counts %v and %v, want 1,000 of its own and the other gateway's 1", a, b)
	}
}

// Addresses that are not in the pool take no memory, nor do gateways that start anew each time.
func TestNamesAreNotKept(t *testing.T) {
	l := newLiar(t)
	from := uint64(1_000_000)
	l.answers(10, func(ask *news.Ask) []byte {
		from++
		l.writer.Begin(from, ask, true)
		var addresses []string
		for i := range 900 {
			addresses = append(addresses, fmt.Sprintf("10.9.%d.%d:%d", i/250, i%250, from%60_000))
		}
		n, at := loadOf(1, addresses...)
		if !l.writer.Load(from, 0, 1, nil, n, at) {
			t.Fatal("the page has no room")
		}
		return l.writer.End(nil, false, l.g.keys[0])
	})
	if len(l.faults) > 0 {
		t.Fatalf("faults %v", l.faults)
	}
	loads := 0
	for i := range l.g.origins {
		loads += cap(l.g.origins[i].loads)
	}
	if len(l.g.origins) > 3 || loads > 50 {
		t.Errorf("%d gateways with room for %d loads are kept", len(l.g.origins), loads)
	}
	l.send(l.gateways[2], 1, 1, 100)
	l.run(2)
	if got := l.g.pool.Counted(1); got != 1 {
		t.Errorf("counts %v of an honest gateway, want 1", got)
	}
}

// A page has a gateway's load once; one that writes more makes others look at all of them each time.
func TestManyLoads(t *testing.T) {
	l := newLiar(t)
	l.answers(1, func(ask *news.Ask) []byte {
		l.writer.Begin(7, ask, true)
		for range news.MaxGateways + 1 {
			l.writer.Load(7, 0, 0, nil, 0, nil)
		}
		return l.writer.End(nil, false, l.g.keys[0])
	})
	if l.faults[Format] == 0 {
		t.Errorf("the page is taken: faults %v", l.faults)
	}
}
