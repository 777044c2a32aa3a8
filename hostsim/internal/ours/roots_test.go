package ours

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/share"
)

// gatewayOfTwo is a proxy with the two filters of a gateway in each VM: number 0 routes, number 1 answers other gateways.
type gatewayOfTwo struct {
	*host.Proxy
	t       *testing.T
	key     news.Key
	dialect uint64
	of      uint64   // the gateway's incarnation; 0: not known yet
	at      []uint64 // positions of the last page
	number  uint64
}

func routes(more string) []byte {
	return fmt.Appendf(nil, `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80"], "seed": 1, "decide_timeout": "500ms", "peers": {"cluster": "gateways", "addresses": ["10.1.0.1:80", "10.1.0.2:80"], "interval": "1s"}%s}`, more)
}

// newGateway is a proxy with the filter that routes alone.
func newGateway(t *testing.T, workers int, configuration []byte) *gatewayOfTwo {
	t.Helper()
	loaded, err := Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { loaded.Close(t.Context()) })
	p, err := loaded.NewProxy(t.Context(), host.Config{
		VMID: "warmroute", PluginName: "warmroute", PluginConfig: configuration, Workers: workers, AllowOnHeadersStopIteration: true, LogLevel: host.LevelInfo,
		Env: []string{"WARMROUTE_PEERS_SECRET=" + syncSecret},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return &gatewayOfTwo{Proxy: p, t: t}
}

func newGatewayOfTwo(t *testing.T, workers int) *gatewayOfTwo {
	t.Helper()
	g := newGateway(t, workers, routes(""))
	if _, err := g.AddPlugin(host.Plugin{Name: "warmroute_peers", Config: []byte(`{"role": "peers"}`)}); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(routes(""))
	if err != nil {
		t.Fatal(err)
	}
	g.key = news.NewKey(syncSecret)
	g.dialect = gossip.Dialect(g.key, cfg.BlockBytes, "")
	return g
}

// pass lets time pass, in ms.
func (g *gatewayOfTwo) pass(ms int64) { g.Advance(g.Now() + ms*1e6) }

// ask sends another gateway's ask to a filter in a worker.
func (g *gatewayOfTwo) ask(filter, worker int, key news.Key) (*host.Stream, *news.Ask) {
	g.number++
	ask := news.Ask{From: 77, Number: g.number, Dialect: g.dialect, Of: g.of, Hold: 900, At: g.at}
	s := g.NewStreamOf(filter, worker)
	s.RequestHeaders(host.Headers{
		{Name: ":method", Value: "GET"}, {Name: ":path", Value: "/warmroute/news"}, {Name: ":authority", Value: "gateway"},
		{Name: gossip.Header, Value: news.Hex(ask.Append(nil, key))},
	}, true)
	return s, &ask
}

// told is how many entries the answer to an ask has; −1: it is still held.
func (g *gatewayOfTwo) told(s *host.Stream, ask *news.Ask) (entries int) {
	g.t.Helper()
	status, answered := s.Downstream().Headers.Get(":status")
	if !answered {
		return -1
	}
	var r news.Reader
	if err := r.Begin(s.Downstream().Body(), ask, g.key); status != "200" || err != nil {
		g.t.Fatalf("an ask is answered %s, %v", status, err)
	}
	for kind := r.Next(); kind != news.End; kind = r.Next() {
		switch kind {
		case news.EntryRecord:
			entries++
		case news.Broken:
			g.t.Fatal("a page is broken")
		}
	}
	g.of, g.at = r.From, append(g.at[:0], r.At...)
	return entries
}

// route lets a filter route a request with a prompt of its own.
func (g *gatewayOfTwo) route(filter, worker, n int) {
	g.t.Helper()
	g.finish(g.send(filter, worker, strconv.Itoa(n)+strings.Repeat(" and so on", 200)))
}

// finish answers a request.
func (g *gatewayOfTwo) finish(s *host.Stream) {
	s.ResponseHeaders(host.Headers{{Name: ":status", Value: "200"}, {Name: "content-type", Value: "application/json"}}, false)
	s.ResponseBody([]byte(`{}`), true)
}

// send lets a filter route a prompt, to which no response comes yet.
func (g *gatewayOfTwo) send(filter, worker int, prompt string) *host.Stream {
	g.t.Helper()
	s := g.NewStreamOf(filter, worker)
	body := fmt.Appendf(nil, `{"model":"m","prompt":%q}`, prompt)
	s.RequestHeaders(host.Headers{
		{Name: ":method", Value: "POST"}, {Name: ":path", Value: "/v1/completions"}, {Name: ":authority", Value: "llm"}, {Name: "content-type", Value: "application/json"},
	}, false)
	s.RequestBody(body, true)
	if !s.Upstream().Started {
		g.t.Fatal("a request is held")
	}
	return s
}

// hold asks a filter in the first worker until all is told and the ask waits.
func (g *gatewayOfTwo) hold(filter int) (s *host.Stream, ask *news.Ask) {
	g.t.Helper()
	for range 10 {
		if s, ask = g.ask(filter, 0, g.key); g.told(s, ask) < 0 {
			return s, ask
		}
	}
	g.t.Fatal("no ask is held")
	return nil, nil
}

// answers says that filter tells at once what routes routes.
func (g *gatewayOfTwo) answers(when string, filter, routes, n int) {
	g.t.Helper()
	s, ask := g.hold(filter)
	if g.route(routes, 1%g.Workers(), n); g.told(s, ask) != 1 {
		g.t.Errorf("%s: a request that is routed is not told at once", when)
	}
}

// Both filters of a gateway are in one VM, and in each worker's: an ask that one worker holds is answered when another has routed,
// whichever filters come and go, and nothing is left of those that went.
func TestFiltersOfOneVM(t *testing.T) {
	g := newGatewayOfTwo(t, 2)
	g.pass(100)
	g.answers("at first", 1, 0, 1)
	queues := g.Queues()
	router, peers := 0, 1
	for n := range 12 { // changes of the configuration
		filter, config, was := &router, routes(fmt.Sprintf(`, "cache_aware": {"affinity": 1.%d}`, n)), router
		if n%2 == 1 {
			filter, config, was = &peers, fmt.Appendf(nil, `{"role": "peers", "seed": %d}`, n+1), peers
		}
		next, err := g.AddPlugin(host.Plugin{Name: "warmroute", Config: config})
		if err != nil {
			t.Fatal(err)
		}
		*filter = next
		g.answers("beside the filter before", peers, router, 100+n)
		s, ask := g.hold(peers)
		rejected, err := g.AddPlugin(host.Plugin{Name: "warmroute", Config: routes(`, "cache_aware": {"affinity": 2}`)})
		if err != nil {
			t.Fatal(err)
		}
		g.EndPlugin(was)
		g.EndPlugin(rejected) // which had taken the queue over
		g.pass(200)           // a tick: another filter does
		if g.told(s, ask) >= 0 {
			t.Errorf("change %d: an ask is answered though nothing is new", n)
		}
		g.route(router, 1, 200+n)
		if g.told(s, ask) != 1 {
			t.Errorf("change %d: an ask that was held before is not answered", n)
		}
		g.pass(1000)
		g.answers("after the filter before", peers, router, 300+n)
	}
	if n := g.Queues(); n != queues {
		t.Errorf("%d queues after 12 changes, %d before: Envoy keeps each", n, queues)
	}
}

// A filter of a former configuration that stands by leaves the other to tick and to answer.
func TestFilterThatStandsBy(t *testing.T) {
	g := newGatewayOfTwo(t, 1)
	g.route(0, 0, 1)
	next, err := g.AddPlugin(host.Plugin{Name: "warmroute", Config: routes(`, "cache_aware": {"affinity": 1.5}`)})
	if err != nil {
		t.Fatal(err)
	}
	g.pass(1000)
	g.route(next, 0, 2)
	g.pass(15_000)
	g.answers("beside one that stands by", 1, next, 3)
	g.route(0, 0, 4) // it is ready again
	g.pass(100)
	g.answers("beside one that stood by", 1, 0, 5)
	s, ask := g.hold(1)
	g.pass(1100)
	if g.told(s, ask) != 0 {
		t.Error("an ask waits for longer than it may")
	}
}

// Whoever does not know the secret wakes nobody.
func TestStrangersArmNothing(t *testing.T) {
	g := newGatewayOfTwo(t, 1)
	g.pass(100)
	armed := func() bool {
		value, _ := g.SharedData(share.KeyPrefix + "awaited")
		return len(value) > 0
	}
	s, _ := g.ask(1, 0, news.NewKey("another secret of some length"))
	if status, _ := s.Downstream().Headers.Get(":status"); status != "403" || armed() {
		t.Errorf("a stranger is answered %q, and the queue is armed: %v", status, armed())
	}
	if g.hold(1); !armed() {
		t.Error("an ask waits, and its queue is not armed")
	}
}

// A header with several asks is lent by the proxy for a call, and so is each entry of the logs that is read for the answer: half a MB of
// them was written over the header, the answer's code was wrong, and of several pools none got news after a restart.
func TestLongAnswersToSeveralAsks(t *testing.T) {
	g := newGatewayOfTwo(t, 1)
	g.pass(100)
	beginning := strings.Repeat("and so on ", 10_000)
	for n := range 300 {
		g.send(0, 0, beginning+strconv.Itoa(n))
	}
	header := ""
	for n := range uint64(8) {
		ask := news.Ask{From: 77, Number: n + 1, Dialect: g.dialect, Snapshot: true}
		header += news.Hex(ask.Append(nil, g.key)) + ","
	}
	s := g.NewStreamOf(1, 0)
	s.RequestHeaders(host.Headers{
		{Name: ":method", Value: "GET"}, {Name: ":path", Value: "/warmroute/news"}, {Name: ":authority", Value: "gateway"}, {Name: gossip.Header, Value: header},
	}, true)
	body := s.Downstream().Body()
	const head = 2 + 8*4 // of package worker's bundles
	if len(body) < head+8 {
		t.Fatalf("an answer of %d bytes", len(body))
	}
	if got, want := binary.LittleEndian.Uint64(body[head:]), g.key.Sum(append(body[:head:head], header...)); got != want || len(body) < 10_000 {
		t.Errorf("an answer of %d bytes has the code %x, want %x", len(body), got, want)
	}
}
