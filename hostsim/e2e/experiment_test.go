//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// Both arms of a live experiment are counted, and the prefill tokens of a request differ between them by what whole runs of
// each policy differ, within the interval that the counters give.
func TestExperiment(t *testing.T) {
	const sessions, turns = 61, 4 // no multiple of the replicas, so that round_robin moves them
	computed := func(t *testing.T, plugin map[string]any) *stack {
		s := launch(t, "endpoint", func(o *gateway.Options) { o.Concurrency, o.Plugin = 2, plugin })
		for turn := range turns {
			for c := range sessions {
				body := chat(fmt.Sprintf("You are clerk %d. ", c)+story(c), strings.Repeat(fmt.Sprintf("Chat %d goes on. ", c), 40*(turn+1)), nil)
				if r := s.post(t, "/v1/chat/completions", body, "x-session-id", fmt.Sprint(c)); r.status != 200 {
					t.Fatalf("status %d", r.status)
				}
			}
		}
		return s
	}
	mean := func(s *stack) float64 {
		tokens := s.stat(t, "warmroute_prompt_tokens_total") - s.stat(t, "warmroute_cached_tokens_total")
		return tokens / (sessions * turns)
	}
	live := mean(computed(t, map[string]any{"policy": "cache_aware"}))
	other := mean(computed(t, map[string]any{"policy": "round_robin"}))
	s := computed(t, map[string]any{"policy": "cache_aware", "experiment": map[string]any{"share": 0.5, "policy": "round_robin"}})
	arm := func(name string) (mean, relative, n float64) {
		of := func(metric string) float64 {
			return s.stat(t, fmt.Sprintf(`warmroute_experiment_%s{arm="%s"`, metric, name))
		}
		n = of("answers_total")
		mean = of("computed_tokens_total") / n
		return mean, (of("computed_squared_tokens_total")/n/(mean*mean) - 1) / n, n
	}
	a, varA, n := arm("live")
	b, varB, m := arm("experiment")
	if n+m != sessions*turns || n < 60 || m < 60 {
		t.Fatalf("%v answers in one arm, %v in the other; want %d in both", n, m, sessions*turns)
	}
	ratio := a / b
	half := 1.96 * ratio * math.Sqrt(varA+varB)
	t.Logf("prefill tokens a request: %.0f by cache_aware, %.0f by round_robin, ratio %.2f; in the experiment %.0f, %.0f, ratio %.2f ± %.2f", live, other, live/other, a, b, ratio, half)
	if want := live / other; math.Abs(ratio-want) > half+0.1 || ratio > 0.9 {
		t.Errorf("ratio %.2f ± %.2f, want %.2f", ratio, half, want)
	}
	if s.stat(t, `warmroute_experiment_computed_tokens_total{arm="live",policy="cache_aware"`) == 0 {
		t.Error("the arm has no label of its policy")
	}
	s.post(t, "/v1/chat/completions", chat(story(1), "Stream.", map[string]any{"stream": true}))
	eventually(t, "a first token is counted", func() bool { return s.stat(t, "warmroute_experiment_streams_total{") == 1 })
	s.keepsPromises(t, func(name string) bool { return strings.HasPrefix(name, "warmroute_experiment") })
}
