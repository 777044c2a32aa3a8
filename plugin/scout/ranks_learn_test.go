package scout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/config"
)

// engines is a page of vLLM with so many engines, from a number on.
func engines(from, n int) (text string) {
	for e := from; e < from+n; e++ {
		text += fmt.Sprintf("vllm:num_requests_running{engine=\"%d\"} %d\n", e, 10+e)
	}
	return text
}

func (w *worker) addresses() string {
	var all []string
	for i := range w.pool.Endpoints {
		if w.pool.Present(i) {
			all = append(all, strings.TrimPrefix(w.pool.Endpoints[i].Address, "10.0.0."))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Servers have as many ranks as their pages name, whether they are listed or discovered, for all workers and for one that comes later.
func TestRanksAreLearned(t *testing.T) {
	for name, configuration := range map[string]string{
		"listed":     `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"], "scrape": {"cluster": "vllm"}}`,
		"discovered": `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"cluster": "vllm"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configuration, 2)
			w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "") + "," + host("10.0.0.3", "")
			w.metrics["10.0.0.1:80"] = engines(0, 3)
			w.metrics["10.0.0.2:80"] = engines(4, 2) // of the second of two nodes
			w.metrics["10.0.0.3:80"] = "sglang:num_running_reqs{dp_rank=\"0\"} 4\nsglang:num_running_reqs{dp_rank=\"1\"} 5\n"
			check := func(when, want string) {
				t.Helper()
				for i, worker := range w.workers {
					if got := worker.addresses(); !worker.dead && got != want {
						t.Errorf("%s, worker %d: %s, want %s", when, i, got, want)
					}
				}
			}
			w.step(3)
			check("at first", "1:80#0 1:80#1 1:80#2 2:80#0 2:80#1 3:80")
			for i, worker := range w.workers {
				for e := range worker.pool.Endpoints {
					server, rank := config.SplitRank(worker.pool.Endpoints[e].Address)
					want, known := map[string]float64{"10.0.0.1:80#0": 10, "10.0.0.1:80#2": 12, "10.0.0.2:80#1": 15, "10.0.0.3:80#": 9}[server+"#"+rank]
					if got := worker.pool.Requests(e, w.now); known && worker.pool.Present(e) && got != want {
						t.Errorf("worker %d: %v busy at %s, want %v", i, got, server+"#"+rank, want)
					}
				}
			}
			w.metrics["10.0.0.1:80"] = engines(0, 4)
			w.step(3)
			check("one more", "1:80#0 1:80#1 1:80#2 1:80#3 2:80#0 2:80#1 3:80")
			w.metrics["10.0.0.1:80"] = engines(0, 2)
			w.step(3)
			check("fewer", "1:80#0 1:80#1 1:80#2 1:80#3 2:80#0 2:80#1 3:80")
			for i, worker := range w.workers {
				for e := range worker.pool.Endpoints {
					if _, rank := config.SplitRank(worker.pool.Endpoints[e].Address); worker.pool.Present(e) && worker.pool.Health.Down(e) != (rank == "2" || rank == "3") {
						t.Errorf("worker %d: %s down: %v", i, worker.pool.Endpoints[e].Address, worker.pool.Health.Down(e))
					}
				}
			}
			w.add(configuration).ReadPublished(w.now)
			check("a worker that joins", "1:80#0 1:80#1 1:80#2 1:80#3 2:80#0 2:80#1 3:80")
			leader := slices.IndexFunc(w.workers, func(w *worker) bool { return w.Leads() })
			w.workers[leader].dead = true
			w.step(8)
			w.metrics["10.0.0.2:80"] = engines(4, 4)
			w.step(3)
			check("another leader", "1:80#0 1:80#1 1:80#2 1:80#3 2:80#0 2:80#1 2:80#2 2:80#3 3:80")
			if name == "discovered" {
				w.hosts = host("10.0.0.1", "")
				w.step(6)
				w.metrics["10.0.0.2:80"] = engines(0, 1)
				w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
				w.step(8)
				check("a server that is another one", "1:80#0 1:80#1 1:80#2 1:80#3 2:80")
			}
		})
	}
}

// What is configured counts, and where the module cannot name a rank none is learned.
func TestRanksAreNotLearned(t *testing.T) {
	for name, c := range map[string]struct{ configuration, page, want string }{
		"one":         {`{"data_parallel_ranks": 1, "endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, engines(0, 3), "1:80"},
		"two":         {`{"data_parallel_ranks": 2, "endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, engines(0, 3), "1:80#0 1:80#1"},
		"vnodes":      {`{"ring": {"vnodes": 2000}, "endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, engines(0, 3), "1:80"},
		"a port each": {`{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, engines(3, 1), "1:80"},
		"no label":    {`{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, "vllm:num_requests_running 13\n", "1:80"},
		"wild":        {`{"endpoints": ["10.0.0.1:80"], "scrape": {"cluster": "vllm"}}`, engines(0, 1) + "vllm:num_requests_running{engine=\"1e9\"} 5\nvllm:num_requests_running{engine=\"1.5\"} 5\n", "1:80"},
	} {
		w := newWorld(t, c.configuration, 2)
		w.metrics["10.0.0.1:80"] = c.page
		w.step(4)
		for i, worker := range w.workers {
			if got := worker.addresses(); got != c.want {
				t.Errorf("%s, worker %d: %s, want %s", name, i, got, c.want)
			}
			if got := worker.pool.Requests(0, w.now); got < 10 {
				t.Errorf("%s, worker %d: %v busy, want what the page says", name, i, got)
			}
		}
	}
}

// A pool has no room for more than 1,024 endpoints: the servers beyond stay one endpoint each, and the log says so.
func TestRanksWithoutRoom(t *testing.T) {
	var list []string
	for i := range 100 {
		list = append(list, fmt.Sprintf("\"10.0.1.%d:80\"", i))
	}
	w := newWorld(t, `{"endpoints": [`+strings.Join(list, ",")+`], "scrape": {"cluster": "vllm"}}`, 1)
	for i := range 100 {
		w.metrics[fmt.Sprintf("10.0.1.%d:80", i)] = engines(0, 16)
	}
	w.step(90) // pages are read seldom while no request comes
	s, plain := w.workers[0], 0
	for i := range s.pool.Endpoints {
		if _, rank := config.SplitRank(s.pool.Endpoints[i].Address); s.pool.Present(i) && rank == "" {
			plain++
		}
	}
	if size := s.pool.Size(); size > 1024 || size < 1000 || size != plain+16*(100-plain) {
		t.Errorf("%d endpoints, of which %d are servers", size, plain)
	}
}
