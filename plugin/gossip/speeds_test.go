package gossip

import (
	"math"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
	"warmroute/plugin/speed"
	"warmroute/plugin/traffic"
)

// respond lets a gateway see so many responses of an endpoint, each to a prompt of 100 to 1,000 tokens that takes so many seconds for each.
func (m *mesh) respond(g *gateway, endpoint, n int, perToken float64) {
	for k := range n {
		m.answer(g, endpoint, 100*(1+k%10), perToken)
	}
}

// answer is one response to a prompt of so many tokens.
func (m *mesh) answer(g *gateway, endpoint, tokens int, perToken float64) {
	f := new(pool.Flight)
	g.pool.Prepare(f, &prompt.Prompt{Text: make([]byte, 4*tokens), Stream: true}, nil, 0)
	g.pool.Begin(f, endpoint, m.now)
	at := m.now + int64(perToken*float64(tokens)*1e9)
	g.pool.FirstToken(f, at)
	g.pool.End(f, at, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: tokens})
}

// What each has seen of an endpoint's speed, in too few responses to judge by, all know together, once each.
func TestSpeedsArrive(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	for _, g := range m.gateways {
		m.send(g, 0, 1, 1) // it takes a slot
		m.respond(g, 0, 6, 1e-4)
		m.respond(g, 1, 6, 1e-3)
		if got := g.pool.PerToken(1); got > 7e-4 {
			t.Fatalf("one gateway alone knows that the endpoint is slow: %v s a token", got)
		}
	}
	m.run(100)
	for i, g := range m.gateways {
		if a, b := g.pool.PerToken(0), g.pool.PerToken(1); a > 7e-4 || b < 8e-4 || b > 1.1e-3 {
			t.Errorf("gateway %d: %v and %v s a token, want less for the first, and 1e-3", i, a, b)
		}
	}
	_, sums := m.gateways[0].board.ProxySpeeds(m.now)
	if got := sums[2].Sums[0]; math.Abs(got-m.gateways[0].pool.OwnSpeed(1, m.now).Sums[0]) > 1e-3 || got > 6 {
		t.Errorf("it tells %v responses of the endpoint, and has seen 6: what others told comes back", got)
	}
	m.cut[address(1)], m.cut[address(2)] = true, true
	m.run(1400) // they are forgotten
	if got := m.gateways[0].pool.PerToken(1); got > 7e-4 {
		t.Errorf("a minute after the others have gone: %v s a token", got)
	}
}

// What a gateway loses counts until it has been silent for some seconds: then others get its requests.
func TestLossesOfOneThatHasGone(t *testing.T) {
	m := newMesh(t, 3)
	m.run(8)
	for i, g := range m.gateways {
		m.send(g, 0, i, 1)
		m.respond(g, 0, 6, 1e-4)
		g.pool.Lost.Note(i%2, 0, m.now-60e9)
		g.pool.Lost.Note(i%2, 12, m.now)
	}
	lost := func() float64 { return m.gateways[0].pool.Lost.Time(nil, m.now) }
	m.run(40)
	if got, each := lost(), 12/60./(1-1/math.E); math.Abs(got-3*each) > 0.15*each {
		t.Errorf("the whole time of %v endpoints is lost, want %v", got, 3*each)
	}
	m.cut[address(1)], m.cut[address(2)] = true, true
	m.run(160)
	if got, each := lost(), 12/60./(1-1/math.E); got > 1.05*each {
		t.Errorf("eight seconds after the others have gone: %v, want at most %v", got, each)
	}
}

// What conversations lose at an endpoint through any gateway all know, and what was paid by one that left. (Each counted its own part: of
// 16 gateways each let one leave after 16 times the losses.)
func TestWhatConversationsLoseArrives(t *testing.T) {
	m := newMesh(t, 3)
	m.run(8)
	for _, g := range m.gateways {
		m.send(g, 0, 1, 1)
		m.respond(g, 0, 1, 1e-4)
		for range 4 {
			g.pool.NoteThrash(0, 1000, m.now)
		}
	}
	for _, want := range []float64{12_000, 7000} {
		m.run(60)
		for i, g := range m.gateways {
			if got, _ := g.pool.Thrash(0, m.now); math.Abs(got-want) > 300 {
				t.Errorf("gateway %d: %v tokens are lost, want %v", i, got, want)
			}
			if got, _ := g.pool.Thrash(1, m.now); got != 0 {
				t.Errorf("gateway %d: %v tokens are lost at the other endpoint", i, got)
			}
		}
		m.gateways[1].pool.NoteThrash(0, -5000, m.now)
	}
}

// Where news are relayed, all know what those have seen that they ask, once each.
func TestSpeedsOfMany(t *testing.T) {
	m := newMesh(t, 40)
	m.run(80)
	for _, g := range m.gateways {
		m.send(g, 0, 1, 1)
		m.respond(g, 0, 6, 1e-4)
		m.respond(g, 1, 6, 1e-3)
		g.pool.Lost.Note(1, 0, m.now-60e9)
		g.pool.Lost.Note(1, 0.6, m.now) // .0158 of the endpoint's time
	}
	m.run(100)
	for i, g := range m.gateways {
		if got := g.pool.Lost.Time(nil, m.now); math.Abs(got-40*0.0158) > 0.06 {
			t.Errorf("gateway %d: the whole time of %v endpoints is lost, want .63", i, got)
		}
		told := 0.0
		for _, o := range g.origins {
			for _, s := range o.speeds {
				if s.Address == "10.0.0.2:80" {
					told += s.Sums[0]
				}
			}
		}
		if a, b := g.pool.PerToken(0), g.pool.PerToken(1); a > 7e-4 || b < 8e-4 || b > 1.1e-3 || told > 6*40 {
			t.Errorf("gateway %d: %v and %v s a token, want less for the first, and 1e-3; %v responses are told, of %d", i, a, b, told, 6*40)
		}
	}
}

// How much of prompts comes back, all know by what all have seen, also before the first response, until a minute after their last request.
// (Of 16 workers, each with a threshold of its own, half kept an overfull pool's conversations together, and half did not.)
func TestReturningArrives(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	for i, g := range m.gateways {
		m.send(g, 0, 1, 1)
		g.pool.Returns.Note(traffic.Returning{All: 1000, Found: float64(300 * i)}, 0)
	}
	m.run(60)
	for i, g := range m.gateways {
		if got := g.pool.Returns.Share(); math.Abs(got-0.3) > 1e-3 {
			t.Errorf("gateway %d: %v comes back, want .3", i, got)
		}
	}
	m.run(1400) // 70 s
	if got := m.gateways[0].pool.Returns.Share(); got != 0 {
		t.Errorf("without requests for a minute: %v of the others' comes back", got)
	}
}

// How long requests stay, and how long they are, all know by what all have seen. (Of 16 gateways each saw one in a minute, and went by what it
// had seen an hour before.)
func TestStaysArrive(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	m.send(m.gateways[1], 0, 1, 1)
	m.respond(m.gateways[1], 0, 20, 1e-3) // 550 tokens on average, .7 s by tokens
	m.run(60)
	for i, g := range m.gateways {
		if tokens, stay := g.pool.Stays.MeanTokens(), g.pool.Stays.Mean(); math.Abs(tokens-550) > 30 || math.Abs(stay-0.7) > 0.05 {
			t.Errorf("gateway %d: %v tokens for %v s, want 550 for .7", i, tokens, stay)
		}
	}
	m.run(1400) // 70 s
	if got := m.gateways[0].pool.Stays.MeanTokens(); got != 0 {
		t.Errorf("without requests for a minute: the others' had %v tokens", got)
	}
}

// What gateways without requests saw long ago does not keep another one from learning that endpoints have become slower.
func TestOldSpeedsAreForgotten(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	for _, g := range m.gateways {
		m.send(g, 0, 1, 1)
		m.respond(g, 0, 300, 1e-4)
	}
	m.run(40)
	for range 140 { // 70 s
		m.respond(m.gateways[0], 0, 10, 3e-4)
		m.run(10)
	}
	if got := m.gateways[0].pool.PerToken(0); got < 2.8e-4 || got > 3.2e-4 {
		t.Errorf("%v s a token, want 3e-4", got)
	}
}

// Who claims to have seen more than it can have is not believed.
func TestSpeedsOfALiar(t *testing.T) {
	l := newLiar(t)
	l.now += 2 * speedsEvery
	l.answers(30, func(ask *news.Ask) []byte {
		l.writer.Begin(7, ask, true)
		l.writer.Load(7, 0, 0, nil, 0, nil)
		if ask.Speeds {
			lie := news.Speed{Address: "10.0.0.1:80", Sums: [11]float64{1e9, 1e9, 1e12, 1e12, 1e15, 1e15, 1e15, 1e15, 1e18, 1e21, 1e15}}
			lost := news.Speed{Address: "10.0.0.1:80", Lost: 1e9}
			l.writer.Speeds(&[5]float64{5, 3, 1, 1000, 1e9}, lie, 2, func(i int) news.Speed { return []news.Speed{lie, lost}[i] })
		}
		return l.writer.End(nil, false, l.g.keys[0])
	})
	if stay := l.g.pool.Stays.Mean(); stay != 0 {
		t.Errorf("requests stay for %v s", stay)
	}
	if got, share := l.g.pool.PerToken(0), l.g.pool.Returns.Share(); len(l.faults) > 0 || got != speed.AssumedPerToken || share != 0 || l.g.pool.Lost.Time(nil, l.now) != 1 {
		t.Errorf("faults %v, %v s a token, %v comes back, the whole time of %v endpoints is lost", l.faults, got, share, l.g.pool.Lost.Time(nil, l.now))
	}
}

// Where a gateway asks some of many, and some of those are silent for a while, what all lose is estimated from as many as it counts.
func TestLossesOfManySomeOfThemSilent(t *testing.T) {
	m := newMesh(t, 40)
	m.run(80)
	for _, g := range m.gateways {
		m.send(g, 0, 1, 1)
		for range 4 {
			g.pool.NoteThrash(0, 1000, m.now)
		}
	}
	m.run(100)
	thrash := func() float64 { got, _ := m.gateways[0].pool.Thrash(0, m.now); return got }
	before := thrash()
	for i := 1; i < 40; i++ {
		m.cut[address(i)] = i%3 > 0
	}
	m.run(200) // 10 s
	if got := thrash(); math.Abs(got-before) > before/10 {
		t.Errorf("%.0f tokens are lost, %.0f ten seconds later", before, got)
	}
}
