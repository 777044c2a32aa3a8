package worker

import (
	"fmt"
	"slices"
	"testing"

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

// Asks under different secrets go apart: the other gateway may know one of them alone, and says in a bundle only that it has no such pool.
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
