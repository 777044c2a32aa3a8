package scout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/config"
)

const learningHosts = `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"cluster": "vllm"}}`

// leader is the worker that leads.
func (w *world) leader() *worker {
	i := slices.IndexFunc(w.workers, func(w *worker) bool { return !w.dead && w.Leads() })
	return w.workers[i]
}

// A leader that has not read the hosts yet, or read them long ago, learns of ranks from a page: the pool stays.
func TestRanksOfANewLeader(t *testing.T) {
	w := newWorld(t, learningHosts, 2)
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
	w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"] = engines(0, 2), engines(0, 1)
	w.step(3)
	w.leader().dead = true
	w.status = 503 // of the admin interface
	w.metrics["10.0.0.2:80"] = engines(0, 2)
	w.step(9)
	if got, want := w.leader().addresses(), "1:80#0 1:80#1 2:80"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.status = 200
	w.step(3)
	if got, want := w.leader().addresses(), "1:80#0 1:80#1 2:80#0 2:80#1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is configured of endpoints counts, though a roster was published under a former configuration.
func TestRanksUnderANewConfiguration(t *testing.T) {
	const format = `{"endpoints": [{"address": "10.0.0.1:80", "weight": %d, "zone": "%s"}, "10.0.0.2:80"], "scrape": {"cluster": "vllm"}}`
	w := newWorld(t, fmt.Sprintf(format, 1, "a"), 1)
	w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"] = engines(0, 2), engines(0, 1)
	w.step(3)
	w.workers[0].dead = true
	added := w.add(fmt.Sprintf(format, 3, "b"))
	added.ReadPublished(w.now)
	w.step(9)
	for i, e := range added.pool.Endpoints {
		if strings.HasPrefix(e.Address, "10.0.0.1:80#") && (e.Weight != 3 || e.Zone != "b") {
			t.Errorf("%d: %+v", i, e)
		}
	}
	if got, want := added.addresses(), "1:80#0 1:80#1 2:80"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A configuration that forbids ranks has a roster of its own.
func TestRanksAreForbidden(t *testing.T) {
	w := newWorld(t, learningHosts, 1)
	w.hosts = host("10.0.0.1", "")
	w.metrics["10.0.0.1:80"] = engines(0, 2)
	w.step(3)
	w.add(strings.Replace(learningHosts, "{", `{"data_parallel_ranks": 1, `, 1))
	w.step(9)
	for i, want := range []string{"1:80#0 1:80#1", "1:80"} {
		if got := w.workers[i].addresses(); got != want {
			t.Errorf("worker %d: %s, want %s", i, got, want)
		}
	}
}

// While ranks of many servers join, nearly all servers can have requests.
func TestRanksJoinInTurn(t *testing.T) {
	for name, configuration := range map[string]string{"listed": "", "discovered": learningHosts} {
		t.Run(name, func(t *testing.T) {
			var list, hosts []string
			for i := range 100 {
				list = append(list, fmt.Sprintf("\"10.0.1.%d:80\"", i))
				hosts = append(hosts, host(fmt.Sprintf("10.0.1.%d", i), ""))
			}
			if configuration == "" {
				configuration = `{"endpoints": [` + strings.Join(list, ",") + `], "scrape": {"cluster": "vllm"}}`
			}
			w := newWorld(t, configuration, 2)
			w.hosts = strings.Join(hosts, ",")
			for i := range 100 {
				w.metrics[fmt.Sprintf("10.0.1.%d:80", i)] = engines(0, 8)
			}
			w.step(.6)
			least := 100
			for range 30 {
				w.step(.2)
				for _, worker := range w.workers {
					servers := map[string]bool{}
					for i := range worker.pool.Endpoints {
						if worker.pool.Present(i) {
							servers[worker.pool.Endpoints[i].Server()] = true
						}
					}
					least = min(least, len(servers))
				}
			}
			if least < 90 {
				t.Errorf("at one time %d of 100 servers could have requests", least)
			}
			if n := w.leader().pool.Size(); n != 800 {
				t.Errorf("%d endpoints, want 800", n)
			}
		})
	}
}

// Servers of which not all ranks have room, and those that come when the pool is full, are endpoints.
func TestServersHaveRoomBesideRanks(t *testing.T) {
	w := newWorld(t, learningHosts, 1)
	var hosts []string
	for i := range 16 {
		hosts = append(hosts, host(fmt.Sprintf("10.0.1.%d", i), ""))
		w.metrics[fmt.Sprintf("10.0.1.%d:80", i)] = engines(0, 64)
	}
	w.hosts = strings.Join(hosts, ",")
	w.step(80)
	for i := range 100 {
		hosts = append(hosts, host(fmt.Sprintf("10.0.2.%d", i), ""))
	}
	w.hosts = strings.Join(hosts, ",")
	w.step(80)
	servers := map[string]int{}
	s := w.workers[0]
	for i := range s.pool.Endpoints {
		if s.pool.Present(i) {
			servers[s.pool.Endpoints[i].Server()]++
		}
	}
	if len(servers) != 116 {
		t.Errorf("%d of 116 servers can have requests: %v", len(servers), servers)
	}
}

// A request for a model goes to a server that has it, too, while the server's ranks join.
func TestModelsOfRanksThatJoin(t *testing.T) {
	for name, configuration := range map[string]string{
		"listed":     `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"], "scrape": {"cluster": "vllm", "models": "/v1/models", "models_interval": "60s"}}`,
		"discovered": strings.Replace(learningHosts, `"vllm"}}`, `"vllm", "models": "/v1/models", "models_interval": "60s"}}`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configuration, 2)
			w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "") + "," + host("10.0.0.3", "")
			w.models = map[string]string{"10.0.0.1:80": `{"data":[{"id":"a"}]}`, "10.0.0.2:80": `{"data":[{"id":"b"}]}`, "10.0.0.3:80": `{"data":[{"id":"b"}]}`}
			for _, a := range []string{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"} {
				w.metrics[a] = engines(0, 1)
			}
			w.step(3)
			w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"] = engines(0, 4), engines(0, 4)
			wrong := 0
			for range 20 {
				w.step(.2)
				for _, p := range w.workers {
					servers := p.pool.ServersOf([]byte("a"))
					for e := range p.pool.Endpoints {
						if p.pool.Present(e) && servers.Has(e) && p.pool.Endpoints[e].Server() != "10.0.0.1:80" {
							wrong++
						}
					}
				}
			}
			if wrong > 0 {
				t.Errorf("in %d cases a request for a model could go to a server that does not have it", wrong)
			}
		})
	}
}

// The load of a server whose ranks have no room is that of all of its engines.
func TestLoadOfAServerWithoutRoom(t *testing.T) {
	var list []string
	for i := range config.MaxEndpoints {
		list = append(list, fmt.Sprintf("\"10.0.%d.%d:80\"", i/250, i%250))
	}
	w := newWorld(t, `{"endpoints": [`+strings.Join(list, ",")+`], "scrape": {"cluster": "vllm"}}`, 1)
	for i := range config.MaxEndpoints {
		w.metrics[fmt.Sprintf("10.0.%d.%d:80", i/250, i%250)] = engines(0, 2)
	}
	w.step(5)
	s := w.workers[0]
	if got := s.pool.Requests(0, w.now); got != 21 {
		t.Errorf("%v busy, want 10 and 11", got)
	}
}

// Ranks whose server was there from the start are not slow to start; those of one that has joined are as slow as it.
func TestRanksStartAsTheirServer(t *testing.T) {
	w := newWorld(t, strings.Replace(learningHosts, "{", `{"slow_start": "15m", `, 1), 2)
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "")
	w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"], w.metrics["10.0.0.3:80"] = engines(0, 4), engines(0, 1), engines(0, 2)
	w.step(6)
	w.hosts += "," + host("10.0.0.3", "")
	w.step(6)
	for k, worker := range w.workers {
		for i, e := range worker.pool.Endpoints {
			warm := e.Server() != "10.0.0.3:80"
			if worker.pool.Present(i) && (worker.pool.Warm(i, w.now) == 1) != warm {
				t.Errorf("worker %d: %s gets %v of its share", k, e.Address, worker.pool.Warm(i, w.now))
			}
		}
		if got, want := worker.addresses(), "1:80#0 1:80#1 1:80#2 1:80#3 2:80 3:80#0 3:80#1"; got != want {
			t.Errorf("worker %d: %s, want %s", k, got, want)
		}
	}
}

// A listed endpoint's ranks are in its cluster.
func TestRanksOfAListAreInItsClusters(t *testing.T) {
	w := newWorld(t, `{"steer": {"target": "cluster"}, "endpoints": [{"address": "10.0.0.1:80", "cluster": "a", "weight": 2}, {"address": "10.0.0.2:80", "cluster": "b", "weight": 4}]}`, 2)
	w.metrics["10.0.0.1:80"], w.metrics["10.0.0.2:80"] = engines(0, 2), engines(0, 1)
	w.step(3)
	for k, worker := range w.workers {
		for i, e := range worker.pool.Endpoints {
			if want := map[string]string{"10.0.0.1:80": "a", "10.0.0.2:80": "b"}[e.Server()]; worker.pool.Present(i) && e.Cluster != want {
				t.Errorf("worker %d: %s is in %q, want %q", k, e.Address, e.Cluster, want)
			}
		}
		if got, want := worker.members(), "1=10.0.0.2*2, 2=10.0.0.1:80#0*1, 3=10.0.0.1:80#1*1"; got != want {
			t.Errorf("worker %d: %s, want %s", k, got, want)
		}
	}
}
