package scout

import (
	"testing"

	"warmroute/plugin/news"
)

const (
	nearby  = `{"address":{"socket_address":{"address":"10.0.0.1","port_value":80}}}`
	direct  = `{"address":{"socket_address":{"address":"10.0.0.2","port_value":80}}}`
	tunnel  = `{"address":{"envoy_internal_address":{"server_listener_name":"connect_originate","endpoint_id":"10.0.0.2:80"}}}`
	through = "envoy://connect_originate/10.0.0.2:80"
)

// Hosts behind an internal listener of the proxy are endpoints by the address at its other end, and asked by the name that the proxy has for
// them. All workers know it. One that is reached in another way from now on is the same endpoint.
func TestTunnels(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "vllm"}}`, 2)
	for _, worker := range w.workers {
		worker.board.Sync(w.now)
	}
	for i, c := range []struct{ host, listener, name string }{{tunnel, "connect_originate", through}, {direct, "", "10.0.0.2:80"}, {tunnel, "connect_originate", through}} {
		w.hosts = nearby + "," + c.host
		w.step(3)
		for k, worker := range w.workers {
			if e := worker.pool.Endpoints; len(e) != 2 || e[0].Listener != "" || e[1].Address != "10.0.0.2:80" || e[1].Listener != c.listener {
				t.Errorf("step %d, worker %d: the endpoints are %+v, want the second behind %q", i, k, e, c.listener)
			}
		}
		if first, second := w.named["10.0.0.1:80"], w.named["10.0.0.2:80"]; first != "10.0.0.1:80" || second != c.name {
			t.Errorf("step %d: %q and %q are asked for metrics, want 10.0.0.1:80 and %s", i, first, second, c.name)
		}
	}
}

// The proxy's main thread, which has no requests, leads first, and reaches nothing behind listeners: a worker that has one takes over there.
func TestTunnelsAreAskedByWorkers(t *testing.T) {
	for _, far := range []bool{false, true} {
		w := newWorld(t, `{"discovery": {"cluster": "vllm"}}`, 3)
		if w.hosts = nearby + "," + direct; far {
			w.hosts = nearby + "," + tunnel
		}
		w.step(3)
		leads := func() (at int) {
			n := 0
			for i, worker := range w.workers {
				if worker.Leads() {
					at, n = i, n+1
				}
			}
			if n != 1 {
				t.Errorf("%d workers lead, want one", n)
			}
			return at
		}
		first := leads()
		if asked := w.asked["10.0.0.2:80"] > 0; asked == far || w.asked["10.0.0.1:80"] == 0 {
			t.Errorf("tunnels %v: without requests %v are asked", far, w.asked)
		}
		next := (first + 1) % 3
		w.workers[next].board.Sync(w.now) // its first request
		w.step(3)
		if want := map[bool]int{false: first, true: next}[far]; leads() != want || w.asked["10.0.0.2:80"] == 0 {
			t.Errorf("tunnels %v: worker %d leads and %v are asked, want worker %d", far, leads(), w.asked, want)
		}
		w.workers[(first+2)%3].board.Sync(w.now) // likewise of a third: the second goes on
		leader := leads()
		if w.step(10); leads() != leader {
			t.Errorf("tunnels %v: worker %d leads, want %d as before", far, leads(), leader)
		}
	}
}

// Gateways behind an internal listener are asked by a worker, by the proxy's name for them.
func TestGatewaysBehindTunnels(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.9:80"], "scrape": {"path": ""}, "peers": {"cluster": "gateways"}}`, 2)
	secrets, fault := news.ReadSecrets("sixteen-characters-or-more")
	if fault != "" {
		t.Fatal(fault)
	}
	for i, worker := range w.workers {
		worker.EnableGossip(secrets, uint64(i+1))
	}
	w.cluster, w.hosts = "gateways", tunnel
	if w.step(3); w.asked["10.0.0.2:80"] != 0 {
		t.Error("the main thread asks a gateway that it cannot reach")
	}
	w.workers[1].board.Sync(w.now) // its first request
	if w.step(3); w.asked["10.0.0.2:80"] == 0 || w.named["10.0.0.2:80"] != through {
		t.Errorf("%d asks of %q, want some of %s", w.asked["10.0.0.2:80"], w.named["10.0.0.2:80"], through)
	}
}

// Endpoints behind tunnels keep nobody from asking gateways that are behind none: one that starts is to know what the others do before its first request.
func TestGatewaysBesideTunnels(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "gateways"}, "peers": {"cluster": "gateways"}, "scrape": {"path": ""}}`, 1)
	secrets, _ := news.ReadSecrets("sixteen-characters-or-more")
	s := w.workers[0]
	s.EnableGossip(secrets, 1)
	w.cluster, w.hosts = "gateways", nearby
	w.step(1)
	s.tunnels = true // as if an endpoint were behind one
	before := w.asked["10.0.0.1:80"]
	if w.step(3); w.asked["10.0.0.1:80"] == before {
		t.Error("no gateway is asked")
	}
}
