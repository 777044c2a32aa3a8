//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// keyByProperty turns hash.yaml into what a gateway without the flag has: the key travels in a filter state, and a
// buffer and a header_mutation filter make it the header.
func keyByProperty(doc any) {
	for _, config := range gateway.Find(doc, "allow_on_headers_stop_iteration") {
		delete(config, "allow_on_headers_stop_iteration")
	}
	const types = "type.googleapis.com/envoy.extensions.filters.http."
	for _, manager := range gateway.Find(doc, "http_filters") {
		filters := manager["http_filters"].([]any)
		last := len(filters) - 1
		manager["http_filters"] = append(append([]any{}, filters[:last]...),
			map[string]any{"name": "buffer", "typed_config": map[string]any{"@type": types + "buffer.v3.Buffer", "max_request_bytes": 4 << 20}},
			map[string]any{"name": "header", "typed_config": map[string]any{
				"@type": types + "header_mutation.v3.HeaderMutation",
				"mutations": map[string]any{"request_mutations": []any{map[string]any{"append": map[string]any{
					"header":        map[string]any{"key": "x-warmroute-key", "value": "%FILTER_STATE(wasm.warmroute_key:PLAIN)%"},
					"append_action": "OVERWRITE_IF_EXISTS_OR_ADD",
				}}}},
			}}, filters[last])
	}
}

// Only a key goes to Envoy, whose ring chooses: by the header, and by the property.
func TestSteeringByKey(t *testing.T) {
	t.Parallel()
	for _, via := range []string{"header", "property"} {
		t.Run(via, func(t *testing.T) {
			s := launch(t, "hash", func(o *gateway.Options) {
				o.Plugin = map[string]any{"steer": map[string]any{"target": "hash", "via": via}}
				if via == "property" {
					o.Edit = keyByProperty
				}
			})
			t.Run("a prefix stays on one replica", s.sameKey)
			t.Run("a forged key is ignored", s.forgedKey)
			t.Run("what has no key is spread", s.noKey)
			t.Run("the decision is logged", s.logged)
			t.Run("answers are counted where they came from", s.countedByServer)
		})
	}
}

func (s *stack) sameKey(t *testing.T) {
	used, keys := map[string]bool{}, map[string]bool{}
	for n := range 12 {
		home, key := "", ""
		for turn := range 3 {
			r := s.post(t, "/v1/chat/completions", chat(story(n), fmt.Sprint("Question ", turn), nil))
			if r.status != 200 || r.decision["reason"] != "key" || len(r.decision["key"]) != 16 {
				t.Fatalf("got status %d, decision %v; want by a key", r.status, r.decision)
			}
			if r.decision["served"] != s.address(t, r.replica) {
				t.Errorf("the decision says that %s served; it was %s", r.decision["served"], r.replica)
			}
			if home == "" {
				home, key = r.replica, r.decision["key"]
			}
			if r.replica != home || r.decision["key"] != key {
				t.Errorf("story %d turn %d: got %s by key %s, want %s by %s as before", n, turn, r.replica, r.decision["key"], home, key)
			}
		}
		used[home], keys[key] = true, true
	}
	if len(used) < 2 || len(keys) != 12 {
		t.Errorf("12 prompts had %d keys and went to %v: want 12, and some spread", len(keys), used)
	}
}

func (s *stack) forgedKey(t *testing.T) {
	body := chat(story(1), "Who?", nil)
	want := s.post(t, "/v1/chat/completions", body).replica
	for i := range 16 {
		if got := s.post(t, "/v1/chat/completions", body, "x-warmroute-key", fmt.Sprint("forged ", i)).replica; got != want {
			t.Errorf("with forged key %d: got %s, want %s", i, got, want)
		}
	}
	if got := s.stat(t, "warmroute_removed_headers_total"); got != 0 {
		t.Errorf("the module removed %v headers, want none: Envoy removes them first", got)
	}
}

// noKey sends what no key can be had of. It reaches the replicas, and not all of it the same one: a header that says
// nothing, such as "-", would be one key for all.
func (s *stack) noKey(t *testing.T) {
	used := map[string]bool{}
	for i := range 30 {
		r := s.post(t, "/v1/chat/completions", fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%d`, i))
		if r.status != 400 || r.replica == "" {
			t.Fatalf("a broken body: got status %d from %q, want a replica's 400", r.status, r.replica)
		}
		used[r.replica] = true
	}
	if len(used) < 2 {
		t.Errorf("30 broken bodies all went to %v", used)
	}
	if got := s.stat(t, `warmroute_passed_total{reason="broken_json"`); got != 30 {
		t.Errorf("passed because of broken_json: got %v, want 30", got)
	}
}

func (s *stack) countedByServer(t *testing.T) {
	s.settled(t)
	steered := s.stat(t, `warmroute_requests_total{reason="key"`)
	eventually(t, "all answers are counted, and nothing is in flight", func() bool {
		return steered > 0 && s.stat(t, `warmroute_answers_total{outcome="answered"`) == steered && s.stat(t, "warmroute_in_flight") == 0
	})
	before := map[string]float64{}
	for _, r := range s.fleet.Replicas {
		before[r.Name()] = s.stat(t, fmt.Sprintf(`warmroute_cached_tokens_total{endpoint="%s"`, r.Addr()))
	}
	r := s.post(t, "/v1/chat/completions", chat(story(1), "Whose?", nil))
	_, cached := usage(t, r.body)
	if cached == 0 {
		t.Fatalf("the answer tells no cached tokens: %s", r.body)
	}
	eventually(t, "the replica's true hit is counted at its address", func() bool {
		at := s.stat(t, fmt.Sprintf(`warmroute_cached_tokens_total{endpoint="%s"`, s.address(t, r.replica)))
		return at-before[r.replica] == cached
	})
}

// settled waits until all is shown that requests have counted: workers tell it at their ticks, each 200 ms.
func (s *stack) settled(t testing.TB) {
	t.Helper()
	last := 0.0
	eventually(t, "no more is counted", func() bool {
		before := last
		time.Sleep(500 * time.Millisecond)
		last = s.stat(t, "warmroute_requests_total") + s.stat(t, "warmroute_answers_total")
		return last == before
	})
}
