//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// sums adds up a metric's samples that have all of the labels, written as in label="value", by their group of sessions; "" is
// that of metrics without groups.
func (s *stack) sums(t *testing.T, name string, labels ...string) map[string]float64 {
	t.Helper()
	text, err := s.Get("/stats/prometheus?usedonly")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
lines:
	for _, line := range regexp.MustCompile(`(?m)^warmroute_`+name+`\{(.*)\} (\d+)\s*$`).FindAllStringSubmatch(text, -1) {
		group := ""
		for _, pair := range labelPair.FindAllStringSubmatch(line[1], -1) {
			if pair[1] == "group" {
				group = pair[2]
			}
		}
		for _, label := range labels {
			if !strings.Contains(","+line[1]+",", ","+label+",") {
				continue lines
			}
		}
		n, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		sums[group] += n
	}
	return sums
}

// total is the sum of sums.
func (s *stack) total(t *testing.T, name string, labels ...string) (total float64) {
	t.Helper()
	for _, n := range s.sums(t, name, labels...) {
		total += n
	}
	return total
}

// Both arms of a live experiment are counted, and the prefill tokens of a request differ between them by what whole runs of
// each policy differ, within the interval that the groups of sessions give (the dashboard's formula).
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
	eventually(t, "all answers are counted", func() bool { return s.total(t, "experiment_answers_total") == sessions*turns })
	arm := func(name string) (mean, relative, n float64) {
		name = "arm=" + strconv.Quote(name)
		answers, computed := s.sums(t, "experiment_answers_total", name), s.sums(t, "experiment_computed_tokens_total", name)
		n, tokens := s.total(t, "experiment_answers_total", name), s.total(t, "experiment_computed_tokens_total", name)
		for group := range answers {
			d := computed[group]/tokens - answers[group]/n
			relative += d * d
		}
		return tokens / n, relative * 16 / 15, n
	}
	a, varA, n := arm("live")
	b, varB, m := arm("experiment")
	if n+m != sessions*turns || n < 60 || m < 60 {
		t.Fatalf("%v answers in one arm, %v in the other; want %d in both", n, m, sessions*turns)
	}
	prompts, others := s.total(t, "experiment_prompt_tokens_total", `arm="live"`), s.total(t, "experiment_prompt_tokens_total", `arm="experiment"`)
	for name, want := range map[string]float64{"requests_total": n, "answers_total": n, "prompt_tokens_total": prompts} {
		if got := s.total(t, name, `arm="live"`); got != want {
			t.Errorf("%s of the live arm: %v, want %v", name, got, want)
		}
	}
	// Each worker compares its own answers, so the sum is near what all of them show, and not exactly that.
	saved := s.total(t, "tokens_saved_total", `baseline="experiment"`, `policy="round_robin"`)
	if want := prompts*b*m/others - a*n; math.Abs(saved-want) > want/2 {
		t.Errorf("%v tokens saved, want about %.0f", saved, want)
	}
	ratio := a / b
	half := 2.1 * ratio * math.Sqrt(varA+varB)
	t.Logf("prefill tokens a request: %.0f by cache_aware, %.0f by round_robin, ratio %.2f; in the experiment %.0f, %.0f, ratio %.2f ± %.2f", live, other, live/other, a, b, ratio, half)
	if want := live / other; math.Abs(ratio-want) > half+0.1 || ratio > 0.9 {
		t.Errorf("ratio %.2f ± %.2f, want %.2f", ratio, half, want)
	}
	if s.total(t, "experiment_computed_tokens_total", `arm="live"`, `policy="cache_aware"`) < a*n-1 {
		t.Error("the arm has no label of its policy")
	}
	s.post(t, "/v1/chat/completions", chat(story(1), "Stream.", map[string]any{"stream": true}))
	eventually(t, "a first token is counted", func() bool { return s.total(t, "experiment_streams_total") == 1 })
	s.keepsPromises(t, func(name string) bool { return strings.HasPrefix(name, "warmroute_experiment") })
}
