//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// While the module does not run, which FAIL_OPEN allows, clients do not steer either: every example has Envoy itself remove
// what they forge. Without that it is the module's doing alone, and ends with it.
func TestForgedWhileModuleIsOff(t *testing.T) {
	for _, example := range []string{"endpoint", "discovery", "property", "cluster", "hash"} {
		for _, shipped := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, Envoy removes: %v", example, shipped), func(t *testing.T) {
				s := launch(t, example, func(o *gateway.Options) {
					byPrefix(o)
					o.Wasm = root + "build/warmroute-trap.wasm"
					o.Edit = func(doc any) {
						for _, config := range gateway.Find(doc, "failure_policy") {
							config["failure_policy"] = "FAIL_OPEN"
						}
						if !shipped {
							leaveForged(t, doc)
						}
					}
				})
				body := chat(story(1), "Who?", nil)
				var home reply
				eventually(t, "the module decides, having found the replicas", func() bool {
					home = s.post(t, "/v1/chat/completions", body)
					return home.decision["key"] != ""
				})
				for n := range s.fleet.Replicas {
					if got := s.forge(t, body, n, 2); !slices.Equal(got, []string{home.replica}) {
						t.Errorf("with headers that name replica %d: got %v, want %s", n, got, home.replica)
					}
				}
				if got := s.stat(t, "warmroute_removed_headers_total"); !shipped && got != 3*2*3 {
					t.Errorf("the module removed %v headers, want 18", got)
				}
				s.post(t, "/v1/chat/completions", body, "x-warmroute-test-trap", "1")
				if r := s.post(t, "/v1/chat/completions", body); r.status != 200 || len(r.decision) != 0 {
					t.Fatalf("after the trap: status %d, decision %v; want 200 and none", r.status, r.decision)
				}
				for n, replica := range s.fleet.Replicas {
					got := s.forge(t, body, n, 20)
					if shipped && len(got) == 1 {
						t.Errorf("the module is off, and headers that name replica %d are obeyed: all from %v", n, got)
					}
					if !shipped && (len(got) != 1 || example != "hash" && got[0] != replica.Name()) {
						t.Errorf("nothing removes headers that name %s, and it is answered by %v: what is tested here?", replica.Name(), got)
					}
				}
			})
		}
	}
}

// forge sends body so many times with headers that name the replica of that number. It returns which answered.
func (s *stack) forge(t *testing.T, body string, replica, times int) (used []string) {
	t.Helper()
	for range times {
		r := s.post(t, "/v1/chat/completions", body, "x-gateway-destination-endpoint", s.fleet.Replicas[replica].Addr(),
			"x-warmroute-cluster", fmt.Sprint("vllm-", replica), "x-warmroute-key", fmt.Sprint("forged ", replica))
		if r.status != 200 {
			t.Fatalf("with forged headers: status %d", r.status)
		}
		if !slices.Contains(used, r.replica) {
			used = append(used, r.replica)
		}
	}
	return used
}

// leaveForged takes out what an example has against forged headers.
func leaveForged(t *testing.T, doc any) {
	taken := 0
	for _, manager := range gateway.Find(doc, "early_header_mutation_extensions") {
		delete(manager, "early_header_mutation_extensions")
		taken++
	}
	for _, filter := range gateway.Find(doc, "request_mutations") {
		filter["request_mutations"] = slices.DeleteFunc(filter["request_mutations"].([]any), func(m any) bool {
			_, removes := m.(map[string]any)["remove"]
			if removes {
				taken++
			}
			return removes
		})
	}
	if taken != 1 {
		t.Errorf("the example removes headers at %d places, want one", taken)
	}
}
