package scout

import (
	"fmt"
	"testing"

	"warmroute/plugin/clusters"
)

// Levels are in force as in Envoy, whose documentation has these figures ("Priority levels", overprovisioning 1.4): the next one
// from 72 % of healthy endpoints on.
func TestActivePriority(t *testing.T) {
	for _, c := range []struct {
		healthy, all []int // by priority
		want         int
	}{
		{[]int{100}, []int{100}, 0},
		{[]int{72, 100}, []int{100, 100}, 0},
		{[]int{71, 100}, []int{100, 100}, 1},
		{[]int{0, 100}, []int{100, 100}, 1},
		{[]int{50, 0, 100}, []int{100, 100, 100}, 2},
		{[]int{50, 22, 100}, []int{100, 100, 100}, 1},
		{[]int{25, 25}, []int{100, 100}, 1 << 30},
		{[]int{1, 0, 0, 9}, []int{10, 0, 0, 9}, 3}, // levels 1 and 2 have no endpoints
		{nil, nil, 1 << 30},
	} {
		var hosts []clusters.Host
		for level, n := range c.all {
			for i := range n {
				hosts = append(hosts, clusters.Host{Priority: level, Healthy: i < c.healthy[level]})
			}
		}
		if got := activePriority(hosts); got != c.want {
			t.Errorf("%v of %v are healthy: levels to %d are in force, want %d", c.healthy, c.all, got, c.want)
		}
	}
}

// Degraded endpoints get requests where those that are well, of all levels, are too few, as in Envoy.
func TestDegraded(t *testing.T) {
	const degraded, second = `,"health_status":{"eds_health_status":"DEGRADED"}`, `,"priority":1`
	for _, c := range []struct {
		name, hosts string
		in          int // those that are to have requests
	}{
		{"one of four", host("10.0.0.1", degraded) + "," + host("10.0.0.2", "") + "," + host("10.0.0.3", "") + "," + host("10.0.0.4", ""), 3},
		{"two of four", host("10.0.0.1", degraded) + "," + host("10.0.0.2", degraded) + "," + host("10.0.0.3", "") + "," + host("10.0.0.4", ""), 4},
		{"two of four, others of the next level", host("10.0.0.1", degraded) + "," + host("10.0.0.2", degraded) + "," + host("10.0.0.3", "") + "," + host("10.0.0.4", second) + "," + host("10.0.0.5", second), 3},
		{"all", host("10.0.0.1", degraded) + "," + host("10.0.0.2", degraded), 2},
	} {
		w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": ""}}`, 2)
		w.hosts = c.hosts
		w.step(2)
		for i, p := range w.workers {
			in := 0
			for e := range p.pool.Endpoints {
				if p.pool.Health.Serving(e) {
					in++
				}
			}
			if in != c.in {
				t.Errorf("%s are degraded, worker %d: %d endpoints get requests, want %d", c.name, i, in, c.in)
			}
		}
	}
}

// All workers know the zones that the leader has read.
func TestZonesAreFound(t *testing.T) {
	w := newWorld(t, `{"zone": "a", "discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": ""}}`, 2)
	w.hosts = host("10.0.0.1", `,"locality":{"region":"r","zone":"b"}`) + "," + host("10.0.0.2", `,"locality":{"region":"r","zone":"a","sub_zone":"x"}`) +
		"," + host("10.0.0.3", "") + "," + host("10.0.0.4", `,"locality":{"region":"a"}`)
	w.step(2)
	away := func(p *worker) (list string) {
		for i := range p.pool.Endpoints {
			list += fmt.Sprint(p.pool.Away(i), " ")
		}
		return list
	}
	for i, p := range w.workers {
		if got := away(p); got != "true false false false " || !p.pool.Zoned() {
			t.Errorf("worker %d: in another zone: %s", i, got)
		}
	}
	w.hosts = host("10.0.0.1", `,"locality":{"zone":"a"}`) + "," + host("10.0.0.2", "")
	w.step(2)
	for i, p := range w.workers {
		if p.pool.Zoned() {
			t.Errorf("worker %d: in another zone when all have moved: %s", i, away(p))
		}
	}
}
