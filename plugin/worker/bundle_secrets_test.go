package worker

import (
	"fmt"
	"slices"
	"testing"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/scout"
)

// A gateway of several pools that knows a new secret, too, and one that knows the former alone, hear each other: those of the pools that are
// there at first, and one that comes later and is asked for under the new secret at first.
func TestPoolsUnderTwoSecrets(t *testing.T) {
	text := fmt.Sprintf(gatewaysOfPools, `{"name": "p0", "match": {"cluster": "c0"}},{"name": "p1", "match": {"cluster": "c1"}},`)
	both, fault := news.ReadSecrets("the one from now on,a secret of some length")
	if fault != "" {
		t.Fatal(fault)
	}
	a, b := newGatewayUnder(t, 11, text, both), newGatewayOf(t, 22, text)
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
	peers := func(when string, pools int) {
		t.Helper()
		for _, g := range []*gatewayOf{a, b} {
			if n := len(g.worker.Pools()); n != pools {
				t.Errorf("%s: %d pools", when, n)
			}
			for _, p := range g.worker.Pools() {
				if s := p.Gossip().Stats(now); s.Peers != 1 || (s.Former == 1) != (g == a) {
					t.Errorf("%s, pool %s: %+v", when, p.Name(), s)
				}
			}
			if len(g.faults) > 0 {
				t.Errorf("%s: faults %v", when, g.faults)
			}
		}
	}
	run(4)
	peers("at first", 2)
	for _, g := range []*gatewayOf{a, b} {
		send(g.worker, "/v1/completions", "out||one.models", `{"prompt":"Hi"}`, now)
	}
	run(4)
	peers("with a pool more", 3)
}

// Asks under different secrets go apart: the other gateway may know one of them alone, and refuses all of a header that has an ask of a stranger.
func TestAsksUnderTwoSecretsGoApart(t *testing.T) {
	g := newGatewayOf(t, 11, fmt.Sprintf(gatewaysOfPools, ""))
	for i := range 4 {
		g.worker.bundler.get(scout.Call{Cluster: "gateways", Endpoint: "10.1.0.2:80", News: fmt.Sprintf("0%d", i), Secret: i % 2})
	}
	g.worker.flush(second)
	var headers []string
	for _, c := range g.calls {
		headers = append(headers, c.News)
	}
	if want := []string{"00,02", "01,03"}; !slices.Equal(headers, want) {
		t.Errorf("calls with asks %q, want %q", headers, want)
	}
}

// Where one ask of a header is a stranger's, nothing is told of the others.
func TestNothingIsToldBesideAStranger(t *testing.T) {
	faults := map[byte]gossip.Fault{0: gossip.Format, 1: "", 2: gossip.Hashing, 3: gossip.Secret}
	for header, want := range map[string]gossip.Fault{"01,02": "", "00,01": gossip.Format, "01,03": gossip.Secret, "02,03,01": gossip.Secret} {
		body, fault := AnswerNews(header, func(ask []byte) ([]byte, news.Key, gossip.Fault) {
			return []byte("a page"), news.NewKey("a secret of some length"), faults[ask[0]]
		})
		if fault != want || (body == nil) != (want != "") {
			t.Errorf("%s: fault %q and %d bytes, want %q", header, fault, len(body), want)
		}
	}
}
