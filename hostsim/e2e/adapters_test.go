//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// Three adapters on three replicas that hold one each: once the replicas' metrics have named them, each adapter's requests stay
// where it is loaded, whatever their prompts. Where loading counts nothing they are loaded again and again.
func TestAdapters(t *testing.T) {
	t.Parallel()
	names := []string{"poet", "sql", "law"}
	loads := map[string]int64{}
	for _, load := range []string{"0s", "2s"} {
		p := profile(t)
		p.MaxLoRAs, p.LoRAActivate = 1, 200e6
		f, err := fleet.Start(fleet.Options{N: 3, Profile: p, Speed: 4, Adapters: names})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		opt := options("endpoint", f, map[string]any{"adapter_load": load})
		g, err := gateway.Start(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		s := &stack{Gateway: g, fleet: f}
		ask := func(n int) {
			body := chat(fmt.Sprintf("Case %d. ", n)+strings.Repeat(fmt.Sprintf("Line %d of the file. ", n), 30), "And?", map[string]any{"model": names[n%3]})
			if r := s.post(t, "/v1/chat/completions", body); r.status != 200 {
				t.Fatalf("status %d: %s", r.status, r.body)
			}
		}
		for n := range 12 {
			ask(n)
		}
		loaded := func() (sum int64) {
			for _, r := range f.Replicas {
				sum += r.Stats().LoRAActivations
			}
			return sum
		}
		if n := 100; load != "0s" {
			eventually(t, "the adapters are known where they are", func() bool { // the replicas' metrics have been read
				before := loaded()
				for range 6 {
					ask(n)
					n++
				}
				return loaded() == before
			})
		}
		before := loaded()
		for n := range 60 {
			ask(1000 + n)
		}
		loads[load] = loaded() - before
		g.Close()
	}
	t.Logf("adapters loaded for 60 requests: %d; where loading counts nothing: %d", loads["2s"], loads["0s"])
	if loads["2s"] > 9 || loads["0s"] < 2*loads["2s"] {
		t.Errorf("adapters loaded for 60 requests: %d; where loading counts nothing: %d", loads["2s"], loads["0s"])
	}
}
