package main

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/worker"
)

// Of several filters that share news, the one answers that has the asker's secret.
func TestTellBySecret(t *testing.T) {
	secrets := [...]string{"the secret of one", "and of the other", "a third one's secret"}
	routeWith(t, secrets[:2]...)
	answers := &plugin{}
	for i, secret := range secrets {
		key := news.NewKey(secret)
		ask := news.Ask{From: 3, Number: 4, Dialect: gossip.Dialect(key, routing[0].cfg.BlockBytes, "")}
		page, _, fault := answers.newsFor(ask.Append(nil, key), 1e9)
		var r news.Reader
		switch {
		case i == 2:
			if fault != gossip.Secret {
				t.Errorf("a stranger's ask: %q, %d bytes", fault, len(page))
			}
		case fault != "":
			t.Errorf("filter %d: %s", i, fault)
		default:
			if err := r.Begin(page, &ask, key); err != nil {
				t.Errorf("filter %d: %v", i, err)
			}
		}
	}
}

// routeWith has a filter that routes for each of these secrets, until the test ends.
func routeWith(t *testing.T, secrets ...string) {
	t.Helper()
	was := routing
	t.Cleanup(func() { routing = was })
	routing = nil
	for _, secret := range secrets {
		its, _ := news.ReadSecrets(secret)
		p := &plugin{}
		var err error
		if p.cfg, err = config.Parse([]byte(`{"endpoints":["10.0.0.1:80"],"peers":{"cluster":"gateways","secret_env":"S"}}`)); err != nil {
			t.Fatal(err)
		}
		if p.worker, err = worker.New(&p.cfg, memstore.New(), nil, 1, 1e9); err != nil {
			t.Fatal(err)
		}
		p.worker.JoinGateways(its, 7, nil)
		routing = append(routing, p)
	}
}
