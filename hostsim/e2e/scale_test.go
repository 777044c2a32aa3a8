//go:build e2e

package e2e

import (
	"os"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// discovered makes the cluster's hosts those of a file.
func discovered(e *eds) func(o *gateway.Options) {
	return func(o *gateway.Options) {
		o.Replicas = o.Replicas[:3] // as many as the example has
		o.Edit = e.edit
	}
}

// A pool grows from 3 replicas to 500 and shrinks again, under load: no request is lost. With WARMROUTE_LONG it does so
// many times, with and without the module, and prints percentiles.
func TestScale(t *testing.T) {
	rounds, kinds := 1, []bool{false}
	if os.Getenv("WARMROUTE_LONG") != "" {
		rounds, kinds = 6, []bool{true, false}
	}
	for _, plain := range kinds {
		e := &eds{t.TempDir()}
		few, all := map[string]string{}, map[string]string{}
		e.write(t, few)
		s, list := launchReplicas(t, "discovery", 500, plain, discovered(e))
		for i, r := range list {
			if all[r.address] = "HEALTHY"; i < 3 {
				few[r.address] = "HEALTHY"
			}
		}
		known := func(n int, hosts map[string]string) {
			e.write(t, hosts)
			eventually(t, "Envoy has the hosts", func() bool {
				return s.stat(t, `envoy_cluster_membership_total{envoy_cluster_name="vllm"}`) == float64(n)
			})
		}
		known(3, few)
		l := s.start(t, 16, 10*time.Millisecond)
		known = func(n int, hosts map[string]string) { // and the module, whose metrics a request brings up to date
			e.write(t, hosts)
			metric := "warmroute_endpoints{"
			if plain {
				metric = `envoy_cluster_membership_total{envoy_cluster_name="vllm"}`
			}
			eventually(t, "the hosts are known", func() bool { return s.stat(t, metric) == float64(n) })
		}
		known(3, few)
		from := time.Now()
		for range rounds {
			known(500, all)
			time.Sleep(time.Second)
			known(3, few)
			time.Sleep(time.Second)
		}
		to := time.Now()
		l.end()
		lost, sent, why := l.lost()
		t.Logf("plain %v: %d requests, %d lost %v; %d changes: P50 %.1f ms, P99 %.1f ms, longest %.0f ms", plain, sent, lost, why, 2*rounds,
			ms(l.took(.5, from, to)), ms(l.took(.99, from, to)), ms(l.took(1, from, to)))
		if lost > 0 {
			t.Errorf("plain %v: %d of %d requests were lost: %v", plain, lost, sent, why)
		}
		s.noTrap(t)
		s.Close()
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
