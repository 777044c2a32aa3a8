//go:build e2eistio

package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// serve runs the pods of a service until the end of the test.
func (s *stack) serve(t *testing.T, v service) {
	t.Helper()
	argv := []string{absolute("../../build/hostsim"), "replicas", "--n", fmt.Sprint(podsOfService), "--port", v.port(0), "--model", v.model, "--speed", "8"}
	for _, adapter := range v.adapters {
		argv = append(argv, "--adapter", adapter)
	}
	replicas, err := start(s.dir, "replicas-"+v.name, nil, argv...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(replicas.stop)
	if err := replicas.await(func() bool { return strings.Count(replicas.text(), "ready on") == podsOfService }); err != nil {
		t.Fatal(err)
	}
	for n := range podsOfService {
		ip := fmt.Sprintf("10.9.0.%d", 21+v.first+n)
		started, err := serve(ip+":8000", "127.0.0.1:"+v.port(n))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(started.close)
		o, err := addPod(s.kube, "default", fmt.Sprintf("%s-%d", v.name, n), ip, "default", object{"app": v.name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.kube.remove(o); err != nil {
				t.Error(err)
			}
		})
	}
}

// port is that of the service's replica n.
func (v service) port(n int) string {
	if v.name == fallback.name {
		return fmt.Sprint(replicaPort + n)
	}
	return fmt.Sprint(replicaPort + 100 + v.first + n)
}

// cacheUse is how many prompt tokens the replicas of a service were asked for, and how many their caches had.
type cacheUse struct{ queries, hits float64 }

// since is the hit rate since then.
func (c cacheUse) since(then cacheUse) float64 {
	return (c.hits - then.hits) / (c.queries - then.queries)
}

func (v service) cacheUse(t *testing.T) (sum cacheUse) {
	t.Helper()
	n := podsOfService
	if v.name == fallback.name {
		n = 3 // of the StatefulSet
	}
	for n := range n {
		response, err := http.Get("http://127.0.0.1:" + v.port(n) + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), "} ")
			var number float64
			if _, err := fmt.Sscan(value, &number); err != nil {
				continue
			}
			switch name, _, _ := strings.Cut(name, "{"); name {
			case "vllm:prefix_cache_queries_total":
				sum.queries += number
			case "vllm:prefix_cache_hits_total":
				sum.hits += number
			}
		}
		response.Body.Close()
	}
	return sum
}
