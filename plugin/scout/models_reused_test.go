package scout

import (
	"fmt"
	"strings"
	"testing"
)

// What the endpoints that stay serve is known while one takes the index of another that has left, which no list is that new one's.
func TestModelsStayWhenAnIndexIsReused(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": "", "models": "/v1/models", "models_interval": "60s"}}`, 3)
	w.models = map[string]string{"10.0.0.1:80": `{"data":[{"id":"a"}]}`}
	stay := host("10.0.0.1", "")
	for i := 2; i < 12; i++ {
		ip := fmt.Sprintf("10.0.0.%d", i)
		w.models[ip+":80"] = `{"data":[{"id":"b"}]}`
		stay += "," + host(ip, "")
	}
	w.models["10.0.0.99:80"] = `{"data":[{"id":"b"}]}`
	w.hosts = stay + "," + host("10.0.0.99", "")
	w.step(5)
	w.hosts = stay
	w.step(70)
	w.hosts += "," + host("10.0.1.1", "")
	w.models["10.0.1.1:80"] = `{"data":[{"id":"a"}]}`
	wrong, seen := 0, false
	for range 50 {
		w.step(.2)
		for _, p := range w.workers {
			servers, other := p.pool.ServersOf([]byte("a")), p.pool.ServersOf([]byte("b"))
			for e := range p.pool.Endpoints {
				address := p.pool.Endpoints[e].Address
				if p.pool.Present(e) && servers.Has(e) && address != "10.0.0.1:80" && address != "10.0.1.1:80" {
					wrong++
				}
				if address == "10.0.1.1:80" {
					seen = true
					if p.pool.Present(e) && other.Lists(e) {
						t.Fatal("the new one counts as serving what the one before it did")
					}
				}
			}
		}
	}
	if wrong > 0 || !seen {
		t.Errorf("in %d cases a request for a model could go to a server that does not have it; the new one has joined: %v", wrong, seen)
	}
	w.step(10)
	for i, p := range w.workers {
		servers, n := p.pool.ServersOf([]byte("a")), 0
		for e := range p.pool.Endpoints {
			if p.pool.Present(e) && servers.Has(e) {
				n++
			}
		}
		if n != 2 {
			t.Errorf("worker %d: %d endpoints serve what two list", i, n)
		}
	}
}

// As many lists are asked for in a tick as may be, and one of each endpoint.
func TestModelsAreAskedForAtOnce(t *testing.T) {
	for n := 1; n <= 2*catalogCalls; n++ {
		w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": "", "models": "/v1/models"}}`, 1)
		list := []string{}
		for i := range n {
			list = append(list, host(fmt.Sprintf("10.0.0.%d", i), ""))
		}
		w.hosts = strings.Join(list, ",")
		w.step(.2) // which brings the hosts
		for ticks := range 2 {
			w.step(.2)
			if want := min((ticks+1)*catalogCalls, n); len(w.asked)-1 != want {
				t.Errorf("of %d endpoints %d were asked after %d ticks, want %d", n, len(w.asked)-1, ticks+1, want)
			}
		}
	}
}
