//go:build e2evllm

package e2evllm

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// TestStream: a stream passes as vLLM sends it, and what its last chunk says is learned.
func TestStream(t *testing.T) {
	s := launch(t, nil)
	body := chat("stream", "Go on.", map[string]any{
		"max_tokens": 24, "stream": true, "stream_options": map[string]bool{"include_usage": true},
	})
	var answers [2]reply
	for i := range answers {
		r := s.post(t, "/v1/chat/completions", body)
		if r.status != 200 || len(r.parts) < 20 || r.parts[len(r.parts)-1] != "[DONE]" {
			t.Fatalf("status %d, %d events: %.300s", r.status, len(r.parts), r.body)
		}
		answers[i] = r
	}
	first, second := answers[0], answers[1]
	if first.cached != 0 || second.cached < first.prompt*9/10 {
		t.Errorf("cached %d and %d of %d tokens; want none, then nearly all", first.cached, second.cached, first.prompt)
	}
	if second.decision["endpoint"] != first.decision["endpoint"] || second.decision["reason"] != "match" {
		t.Errorf("decisions %v, then %v; want the same endpoint, because of a match", first.decision, second.decision)
	}
	eventually(t, "the access log has the true hit and the time to first token", func() bool {
		log := s.AccessLog()
		return strings.Contains(log, fmt.Sprintf("cached_tokens=%d", second.cached)) && strings.Contains(log, "ttft_us=")
	})
	eventually(t, "the true hit is in the metrics", func() bool {
		return s.stat(t, "warmroute_cached_tokens_total") == float64(second.cached) &&
			s.stat(t, "warmroute_prompt_tokens_total") == float64(first.prompt+second.prompt)
	})
}

// TestBelief: what the module expects is what vLLM finds, to a block of the index and a block of the engine.
func TestBelief(t *testing.T) {
	s := launch(t, nil)
	s.post(t, "/v1/chat/completions", chat("length", "How long is a token?", nil)) // tells bytes a token
	for i := range 4 {
		r := s.post(t, "/v1/chat/completions", chat("length", fmt.Sprint("Question ", i), nil))
		block := float64(r.prompt) / r.number("blocks")
		if expected := r.number("expected_cached_tokens"); math.Abs(expected-float64(r.cached)) > block+32 || r.cached == 0 {
			t.Errorf("expected %v tokens to be cached, %d were; a block of the index is %.0f tokens", expected, r.cached, block)
		}
	}
}

// TestEmptiedCache: a cache that was emptied behind the module's back is noticed: one answer takes back its own prompt and as much of
// what is older, a second one, ten seconds later, all that is older (package pool, cache.go).
func TestEmptiedCache(t *testing.T) {
	s := launch(t, map[string]any{"policy": "prefix_hash"}) // what begins alike goes to one server
	ask := func(name string) reply {
		r := s.post(t, "/v1/completions", map[string]any{"model": "tiny", "max_tokens": 1, "prompt": strings.Repeat("The same beginning. ", 8) + story(name)})
		if r.status != 200 {
			t.Fatalf("status %d: %s", r.status, r.body)
		}
		return r
	}
	for _, name := range []string{"first", "second", "third", "fourth", "older", "newer"} {
		ask(name)
	}
	if r := ask("newer"); r.number("expected_cached_tokens") < 1000 || r.cached < 1000 {
		t.Fatalf("expected %v and found %d tokens; want over 1,000", r.number("expected_cached_tokens"), r.cached)
	}
	time.Sleep(2500 * time.Millisecond) // a belief younger than two seconds may be of what is on its way
	s.forget(t)
	if r := ask("newer"); r.number("expected_cached_tokens") < 1000 || r.cached != 0 {
		t.Fatalf("expected %v and found %d tokens; want over 1,000 and none: it cannot know yet", r.number("expected_cached_tokens"), r.cached)
	}
	time.Sleep(10 * time.Second)
	if r := ask("older"); r.cached > 200 {
		t.Fatalf("found %d tokens of the older prompt; want what it shares with the newer at most", r.cached)
	}
	for _, name := range []string{"first", "fourth"} {
		if r := ask(name); r.number("expected_cached_tokens") > 200 || r.cached > 200 {
			t.Errorf("expected %v and found %d tokens of the %s prompt; want what it shares with the newer at most", r.number("expected_cached_tokens"), r.cached, name)
		}
	}
	if r := ask("newer"); r.cached < 1000 || r.number("expected_cached_tokens") < 1000 {
		t.Errorf("expected %v and found %d tokens of what was computed anew; want over 1,000", r.number("expected_cached_tokens"), r.cached)
	}
}

// TestTokenArray: a prompt of token ids hits like text, and its length is known exactly.
func TestTokenArray(t *testing.T) {
	s := launch(t, nil)
	ids := make([]int, 1200)
	for i := range ids {
		ids[i] = 300 + i*7%3000
	}
	body := map[string]any{"model": "tiny", "max_tokens": 1, "prompt": ids}
	first, second := s.post(t, "/v1/completions", body), s.post(t, "/v1/completions", body)
	if first.status != 200 || first.prompt != 1200 || first.cached != 0 {
		t.Fatalf("status %d, %d tokens, %d cached: %.200s", first.status, first.prompt, first.cached, first.body)
	}
	if second.decision["endpoint"] != first.decision["endpoint"] {
		t.Errorf("went to %s, then to %s", first.decision["endpoint"], second.decision["endpoint"])
	}
	const block = 1024 / 4 // tokens of the index's blocks behind the first 4 KB, by 4 bytes each
	if expected := second.number("expected_cached_tokens"); math.Abs(expected-float64(second.cached)) > block || second.cached < 1100 {
		t.Errorf("expected %v tokens to be cached, %d were; want within %d, a block of the index", expected, second.cached, block)
	}
}

// TestIsolation: neither a salt's nor an adapter's blocks are another's, for vLLM and for the module alike.
func TestIsolation(t *testing.T) {
	for _, c := range []struct {
		name     string
		one, two map[string]any
	}{
		{"cache_salt", map[string]any{"cache_salt": "Alice"}, map[string]any{"cache_salt": "Bob"}},
		{"no salt", map[string]any{}, map[string]any{"cache_salt": "Alice"}},
		{"LoRA", map[string]any{"model": "lora-a"}, map[string]any{"model": "lora-b"}},
		{"LoRA and base", map[string]any{"model": "tiny"}, map[string]any{"model": "lora-a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			// One endpoint, so that it is the cache that isolates and not the choice.
			s := launch(t, map[string]any{"endpoints": []string{strings.Split(pool(t, "addresses"), ",")[0]}})
			for i, step := range []struct {
				more map[string]any
				hit  bool
			}{{c.one, false}, {c.two, false}, {c.one, true}, {c.two, true}} {
				r := s.post(t, "/v1/chat/completions", chat("isolated", "Who am I?", step.more))
				if r.status != 200 {
					t.Fatalf("step %d: status %d: %s", i, r.status, r.body)
				}
				believed := r.number("matched") > 0
				if hit := r.cached > 1000; hit != step.hit || believed != step.hit {
					t.Errorf("step %d: %d tokens cached, %v blocks believed to be; want a hit: %v", i, r.cached, r.number("matched"), step.hit)
				}
			}
		})
	}
}
