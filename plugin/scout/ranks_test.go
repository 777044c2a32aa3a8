package scout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Each server is asked once for all of its ranks, whose loads all workers know by rank; ranks come and go with their server.
func TestRanks(t *testing.T) {
	w := newWorld(t, `{"data_parallel_ranks": 3, "discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"cluster": "vllm", "models": "/v1/models"}}`, 2)
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
	w.models = map[string]string{"10.0.0.1:80": `{"data":[{"id":"a"}]}`, "10.0.0.2:80": `{"data":[{"id":"b"}]}`}
	page := func(engines int) (text string) {
		for e := range engines {
			text += fmt.Sprintf("vllm:num_requests_running{engine=\"%[1]d\"} %[2]d\nvllm:num_requests_waiting{engine=\"%[1]d\"} %[1]d\n", e, 10+e)
		}
		return text
	}
	w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"] = page(3), page(3)
	w.step(3)
	for i, worker := range w.workers {
		var addresses []string
		for e := range worker.pool.Endpoints {
			if worker.pool.Present(e) {
				addresses = append(addresses, worker.pool.Endpoints[e].Address)
				rank := float64(worker.pool.Endpoints[e].Address[len("10.0.0.1:80#")] - '0')
				if got := worker.pool.Requests(e, w.now); got != 10+2*rank {
					t.Errorf("worker %d: %v busy at %s, want %v", i, got, worker.pool.Endpoints[e].Address, 10+2*rank)
				}
				if servers := worker.pool.ServersOf([]byte("a")); servers.Has(e) != strings.HasPrefix(worker.pool.Endpoints[e].Address, "10.0.0.1:") {
					t.Errorf("worker %d: %s serves a: %v", i, worker.pool.Endpoints[e].Address, servers.Has(e))
				}
			}
		}
		slices.Sort(addresses)
		if got, want := strings.Join(addresses, " "), "10.0.0.1:80#0 10.0.0.1:80#1 10.0.0.1:80#2 10.0.0.2:80#0 10.0.0.2:80#1 10.0.0.2:80#2"; got != want {
			t.Errorf("worker %d has %s, want %s", i, got, want)
		}
	}
	if n := w.asked["10.0.0.1:80"]; n > 5 { // its models once, a page each second
		t.Errorf("a server was asked %d times in 3 s", n)
	}
	w.hosts = host("10.0.0.2", "")
	w.step(2)
	for i, worker := range w.workers {
		if got := worker.pool.Size(); got != 3 {
			t.Errorf("worker %d: after a server has left %d ranks are there, want 3", i, got)
		}
	}
}

// A page that names fewer ranks than are configured is a fault, but those that it names count.
func TestFewerRanks(t *testing.T) {
	w := newWorld(t, `{"data_parallel_ranks": 3, "endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, 2)
	s := w.workers[0]
	text := "vllm:num_requests_running{engine=\"0\"} 5\nvllm:num_requests_running{engine=\"1\"} 6\n"
	w.metrics["10.0.0.1:80"] = text
	w.step(3)
	if got := [3]float64{s.pool.Requests(0, w.now), s.pool.Requests(1, w.now), s.pool.Requests(2, w.now)}; got != [3]float64{5, 6, 0} {
		t.Errorf("busy: %v", got)
	}
	if s.pool.Health.Down(0) || s.pool.Health.Down(1) || !s.pool.Health.Down(2) || !w.workers[1].pool.Health.Down(2) {
		t.Errorf("down: %v %v %v, for the other worker %v; want the rank that the server has not alone", s.pool.Health.Down(0), s.pool.Health.Down(1), s.pool.Health.Down(2), w.workers[1].pool.Health.Down(2))
	}
	w.metrics["10.0.0.1:80"] = text + "vllm:num_requests_running{engine=\"2\"} 7\n" // a restart with more
	w.step(2)
	if s.pool.Health.Down(2) || w.workers[1].pool.Health.Down(2) {
		t.Error("a rank that has come is still down")
	}
	s = w.workers[slices.IndexFunc(w.workers, func(w *worker) bool { return w.Leads() })]
	token := Token{Endpoint: 0, epoch: s.roster.epoch}
	if fault := s.HandleResponse(token, response(200, text), w.now); fault != metricsRanks {
		t.Errorf("fault %q, want %q", fault, metricsRanks)
	}
	if fault := s.HandleResponse(token, response(200, "vllm:num_requests_running 5\n"), w.now); fault != metricsUnknown {
		t.Errorf("of a page without engines: fault %q, want %q", fault, metricsUnknown)
	}
}
