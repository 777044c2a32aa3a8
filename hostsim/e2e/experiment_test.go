//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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

// arm is what was counted of an arm, by group.
type arm struct {
	sums, counts map[string]float64
	sum, count   float64
}

func (s *stack) arm(t *testing.T, name, sum, count string) arm {
	t.Helper()
	name = "arm=" + strconv.Quote(name)
	return arm{s.sums(t, sum, name), s.sums(t, count, name), s.total(t, sum, name), s.total(t, count, name)}
}

func (a arm) mean() float64 { return a.sum / a.count }

// against is the ratio of the means, and half of its 95 % interval by the dashboard's formula.
func (a arm) against(b arm) (ratio, half float64) {
	variance := 0.0
	for group := range a.counts {
		d := a.sums[group]/a.sum - a.counts[group]/a.count - b.sums[group]/b.sum + b.counts[group]/b.count
		variance += d * d * 16 / 15
	}
	ratio = a.mean() / b.mean()
	return ratio, 2.13 * ratio * math.Sqrt(variance)
}

// By windows all requests go by one policy at a time, in both workers at once; each arm counts its own, and neither those that come soon
// after a change.
func TestExperimentByWindows(t *testing.T) {
	const window = 400 * time.Millisecond
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Concurrency = 2
		o.Plugin = map[string]any{"policy": "cache_aware", "experiment": map[string]any{"share": 0.5, "policy": "round_robin", "window": window.String()}}
	})
	requests, changes, last, began := 0, 0, "", time.Now()
	seen := map[string]float64{}
	policyOf := map[string]string{"live": "cache_aware", "experiment": "round_robin"}
	for seen["live"] < 40 || seen["experiment"] < 40 || seen[""] < 5 {
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute: %v", seen)
		}
		client.CloseIdleConnections() // the next connection may be the other worker's
		r := s.post(t, "/v1/chat/completions", chat("You are a clerk.", fmt.Sprint("Question ", requests), nil))
		if r.status != 200 {
			t.Fatalf("status %d", r.status)
		}
		name, policy := r.decision["arm"], r.decision["policy"]
		if want := policyOf[name]; name != "" && policy != want {
			t.Fatalf("the arm %q by %s", name, policy)
		}
		seen[name]++
		requests++
		if policy != last {
			last = policy
			changes++
		}
	}
	if most := int(time.Since(began)/window) + 2; changes > most {
		t.Errorf("the policy has changed %d times in %v, at most %d: workers disagree", changes, time.Since(began), most)
	}
	eventually(t, "all answers are counted", func() bool {
		return s.total(t, "experiment_answers_total", `arm="live"`) == seen["live"] && s.total(t, "experiment_answers_total", `arm="experiment"`) == seen["experiment"]
	})
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
		eventually(t, "all answers are counted", func() bool { return s.stat(t, "warmroute_answers_total") == sessions*turns })
		tokens := s.stat(t, "warmroute_prompt_tokens_total") - s.stat(t, "warmroute_cached_tokens_total")
		return tokens / (sessions * turns)
	}
	live := mean(computed(t, map[string]any{"policy": "cache_aware"}))
	other := mean(computed(t, map[string]any{"policy": "round_robin"}))
	s := computed(t, map[string]any{"policy": "cache_aware", "experiment": map[string]any{"share": 0.5, "policy": "round_robin"}})
	eventually(t, "all answers are counted", func() bool {
		return s.total(t, "experiment_answers_total") == sessions*turns && s.stat(t, "warmroute_answers_total") == sessions*turns
	})
	liveArm, otherArm := s.arm(t, "live", "experiment_computed_tokens_total", "experiment_answers_total"), s.arm(t, "experiment", "experiment_computed_tokens_total", "experiment_answers_total")
	a, n, b, m := liveArm.mean(), liveArm.count, otherArm.mean(), otherArm.count
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
	ratio, half := liveArm.against(otherArm)
	t.Logf("prefill tokens a request: %.0f by cache_aware, %.0f by round_robin, ratio %.2f; in the experiment %.0f, %.0f, ratio %.2f ± %.2f", live, other, live/other, a, b, ratio, half)
	if want := live / other; math.Abs(ratio-want) > half+0.1 || ratio > 0.9 {
		t.Errorf("ratio %.2f ± %.2f, want %.2f", ratio, half, want)
	}
	if s.total(t, "experiment_computed_tokens_total", `arm="live"`, `policy="cache_aware"`) < a*n-1 {
		t.Error("the arm has no label of its policy")
	}
	s.post(t, "/v1/chat/completions", chat(story(1), "Stream.", streamed))
	eventually(t, "a first token is counted", func() bool { return s.total(t, "experiment_streams_total") == 1 })
	s.keepsPromises(t, func(name string) bool { return strings.HasPrefix(name, "warmroute_experiment") })
}
