package worker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/scout"
	"warmroute/plugin/share/memstore"
)

// gatewayOf is one of several gateways, whose calls the test answers.
type gatewayOf struct {
	t      *testing.T
	worker *Worker
	others map[string]*gatewayOf // by address
	calls  []scout.Call
	asked  map[string]int // calls by kind
	faults map[scout.Fault]int
	now    int64
	kept   []scout.Call // asks that wait for the next tick
}

func (g *gatewayOf) Get(c scout.Call) bool {
	g.calls = append(g.calls, c)
	return true
}

const gatewaysOfPools = `{"seed": 1, "scrape": {"path": ""}, "discovery": {"admin_cluster": "admin"},
	"peers": {"cluster": "gateways", "addresses": ["10.1.0.1:80", "10.1.0.2:80"], "interval": "100ms"},
	"pools": [%s{"name": "svc-*", "match": {"cluster": "out||*.models"}}]}`

func newGatewayOf(t *testing.T, number uint64, configuration string) *gatewayOf {
	t.Helper()
	return newGatewayUnder(t, number, configuration, someSecrets)
}

func newGatewayUnder(t *testing.T, number uint64, configuration string, secrets news.Secrets) *gatewayOf {
	t.Helper()
	cfg, err := config.Parse([]byte(configuration))
	if err != nil {
		t.Fatal(err)
	}
	g := &gatewayOf{t: t, others: map[string]*gatewayOf{}, asked: map[string]int{}, faults: map[scout.Fault]int{}}
	if g.worker, err = New(&cfg, memstore.New(), g, 1, second); err != nil {
		t.Fatal(err)
	}
	g.worker.OnLearned(func(_ scout.Call, fault scout.Fault, _ int64) {
		if fault != "" {
			g.faults[fault]++
		}
	})
	g.worker.JoinGateways(secrets, number, nil)
	return g
}

// tick lets time pass, and answers what the gateway asks.
func (g *gatewayOf) tick(now int64) {
	g.now = now
	g.worker.Tick(now)
	kept := len(g.kept)
	for g.calls, g.kept = append(g.kept, g.calls...), nil; len(g.calls) > 0; kept-- {
		c := g.calls[0]
		g.calls = g.calls[1:]
		var fault scout.Fault
		if c.News != "" && kept <= 0 {
			if waits, _ := new(Asks).Keep(1, c.News, g.others[c.Endpoint].patience(now), now); waits {
				g.kept = append(g.kept, c)
				continue
			}
		}
		if c.News == "" {
			g.asked["admin"]++
			fault = g.worker.HandleResponse(c.Token, responseOf(200, hostsPage(c.Path)), now)
		} else {
			g.asked["gateways"]++
			fault = g.worker.HandleResponse(c.Token, g.others[c.Endpoint].answer(c.News, now), now)
		}
		if fault != "" {
			g.faults[fault]++
		}
	}
}

func (g *gatewayOf) patience(now int64) Patience {
	return func(ask []byte, arm func()) (int64, bool, gossip.Fault) { return g.worker.Patience(ask, arm, now) }
}

func (g *gatewayOf) answer(header string, now int64) scout.Response {
	body, fault := AnswerNews(header, func(ask []byte) ([]byte, news.Key, gossip.Fault) { return g.worker.Answer(ask, now) })
	if fault != "" {
		return responseOf(403, nil)
	}
	return responseOf(200, body)
}

// hostsPage lists two hosts for each cluster, whatever was asked.
func hostsPage(string) []byte {
	var list []string
	for i := range 30 {
		list = append(list, fmt.Sprintf(`{"name":"c%d","host_statuses":[{"address":{"socket_address":{"address":"10.0.%d.1","port_value":80}}},{"address":{"socket_address":{"address":"10.0.%d.2","port_value":80}}}]}`, i, i, i))
	}
	list = append(list, strings.ReplaceAll(strings.ReplaceAll(list[7], "c7", "out||one.models"), "10.0.7", "10.0.77"))
	return []byte(`{"cluster_statuses":[` + strings.Join(list, ",") + `]}`)
}

// Several pools ask the admin interface, and each other gateway, in one call; each has its own hosts and news. A pool that another
// gateway does not have yet is no fault, and is shared as soon as it is there.
func TestPoolsAskTogether(t *testing.T) {
	static := ""
	for i := range 20 {
		static += fmt.Sprintf(`{"name": "p%d", "match": {"cluster": "c%d"}},`, i, i)
	}
	text := fmt.Sprintf(gatewaysOfPools, static)
	a, b := newGatewayOf(t, 11, text), newGatewayOf(t, 22, text)
	for _, g := range []*gatewayOf{a, b} {
		g.others["10.1.0.1:80"], g.others["10.1.0.2:80"] = a, b
	}
	now := second
	run := func(seconds int) {
		for range seconds * 10 {
			now += 1e8
			a.tick(now)
			b.tick(now)
		}
	}
	run(4)
	for i, p := range a.worker.Pools() {
		want := fmt.Sprintf("10.0.%d.1:80", i)
		if k := p.Known(); k.Size() != 2 || k.Endpoints[0].Address != want {
			t.Fatalf("pool %s has %v, want %s", p.Name(), k.Endpoints, want)
		}
	}
	a.asked, a.faults = map[string]int{}, map[scout.Fault]int{}
	run(2)
	if n := a.asked["admin"]; n < 1 || n > 4 {
		t.Errorf("in two seconds the admin interface was asked %d times for 20 pools, want twice", n)
	}
	if n := a.asked["gateways"]; n < 10 || n > 30 {
		t.Errorf("in two seconds the other gateway was asked %d times for 20 pools, want 20", n)
	}
	body := `{"prompt":"` + strings.Repeat("Some text. ", 100) + `"}`
	held := func(g *gatewayOf, name string) bool {
		for _, p := range g.worker.Pools() {
			if p.Name() == name {
				p.board.Sync(now)
				return p.Known().Index.Held(0)+p.Known().Index.Held(1) > 0
			}
		}
		return false
	}
	send(a.worker, "/v1/completions", "c3", body, now)
	run(1)
	if !held(b, "p3") || held(b, "p4") {
		t.Error("what one gateway has sent to a pool is not what the other knows")
	}
	send(a.worker, "/v1/completions", "out||one.models", body, now) // makes the pool, without endpoints
	run(2)
	send(a.worker, "/v1/completions", "out||one.models", body, now)
	run(2)
	if len(a.faults) > 0 || len(b.faults) > 0 {
		t.Errorf("faults while only one gateway has a pool: %v, %v", a.faults, b.faults)
	}
	send(b.worker, "/v1/completions", "out||one.models", `{"prompt":"Hi"}`, now)
	run(3)
	if !held(b, "svc-one") {
		t.Error("a gateway that has got a pool later does not know what the other has sent there")
	}
}

var someSecrets, _ = news.ReadSecrets("a secret of some length")

// Whatever comes back for a call of several, each pool gets something that it can refuse.
func TestBundlesAreBounded(t *testing.T) {
	key := news.NewKey("a secret of some length")
	for _, body := range []string{"", "B", "B\x01", "B\x02\x00\x00\x00\x00", "B\x02\xff\xff\xff\x7f", "B\x02\x05\x00\x00\x00abc", "P", strings.Repeat("B\x02", 1<<17)} {
		for i, r := range newsOf(responseOf(200, []byte(body)), "00,01,02", 3, key) {
			if r.Status != gossip.Foreign && r.Status != gossip.Newer && r.Status != gossip.Forged {
				t.Errorf("%.9q: response %d has status %d", body, i, r.Status)
			}
		}
	}
	long := append([]byte("B\x02\xff\xff\x00\x00\x03\x00\x00\x00"), "12345678"...) // a first page that is not there
	binary.LittleEndian.PutUint64(long[10:], bundleSum(long[:10], "00,01", key))
	if got := newsOf(responseOf(200, append(long, "abc"...)), "00,01", 2, key); got[0].Status != gossip.Foreign || got[1].Status != gossip.Foreign {
		t.Errorf("a page that is not there: %+v", got)
	}
	if _, fault := AnswerNews(strings.Repeat("00,", 300), func([]byte) ([]byte, news.Key, gossip.Fault) { return []byte("x"), key, "" }); fault != gossip.Format {
		t.Errorf("300 asks: %q", fault)
	}
	if _, fault := AnswerNews("00,00", func([]byte) ([]byte, news.Key, gossip.Fault) { return nil, key, gossip.Secret }); fault != gossip.Secret {
		t.Errorf("a wrong secret: %q", fault)
	}
	page := make([]byte, 40<<10)
	body, _ := AnswerNews("00,00,00,00", func([]byte) ([]byte, news.Key, gossip.Fault) { return page, key, "" })
	if len(body) > news.MaxPage*3/2+32 {
		t.Errorf("a body of %d bytes", len(body))
	}
	if got := newsOf(responseOf(200, body), "00,00,00,00", 4, key); got[0].Size != len(page) || got[3].Status != gossip.Later {
		t.Errorf("of four pages the first has %d bytes, the last status %d", got[0].Size, got[3].Status)
	}
}

// Nobody on the way can say for a gateway that it has no such pool, or that it answers later; nor can an answer to other asks say so.
func TestBundlesHaveACode(t *testing.T) {
	key, header := news.NewKey("a secret of some length"), "0102,0304"
	answer := func(ask []byte) ([]byte, news.Key, gossip.Fault) {
		if ask[0] == 1 {
			return nil, key, gossip.Unknown
		}
		return []byte("a page"), key, ""
	}
	body, fault := AnswerNews(header, answer)
	if fault != "" {
		t.Fatal(fault)
	}
	statuses := func(body []byte, header string, key news.Key) [2]int {
		r := newsOf(responseOf(200, body), header, 2, key)
		return [2]int{r[0].Status, r[1].Status}
	}
	if got := statuses(body, header, key); got != [2]int{gossip.NoPool, 200} {
		t.Fatalf("statuses %v", got)
	}
	for i := 2; i < 2+2*4+bundleCode; i++ {
		forged := bytes.Clone(body)
		forged[i] ^= 1
		if got := statuses(forged, header, key); got != [2]int{gossip.Forged, gossip.Forged} {
			t.Errorf("byte %d changed: statuses %v", i, got)
		}
	}
	older := bytes.Clone(body)
	older[1]--
	for name, got := range map[string][2]int{
		"secret":  statuses(body, header, news.NewKey("another secret of some length")),
		"asks":    statuses(body, "0102,0305", key),
		"version": statuses(older, header, key),
	} {
		want := gossip.Forged
		if name == "version" {
			want = gossip.Newer
		}
		if got != [2]int{want, want} {
			t.Errorf("another %s: statuses %v, want %d", name, got, want)
		}
	}
	one, fault := AnswerNews("01,", answer) // one ask of a gateway of several pools
	if got := newsOf(responseOf(200, one), "01,", 1, key); fault != "" || got[0].Status != gossip.NoPool {
		t.Errorf("one ask: %q, %+v", fault, got)
	}
	if _, fault := AnswerNews("01", answer); fault != gossip.Hashing {
		t.Errorf("an ask of a gateway of one pool: fault %q", fault)
	}
}
