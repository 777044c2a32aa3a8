package workload

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// last gives the messages of each session's last request, with answers of the length asked for.
func last(t *testing.T, w *Workload) map[string][]chatMessage {
	t.Helper()
	out := map[string][]chatMessage{}
	for _, s := range w.Start() {
		r, ok := s.Next("")
		for ; ok; r, ok = s.Next(Answer(1, r.OutputTokens)) {
			var body requestBody
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			out[r.Session] = body.Messages
			if body.Prompt != "" {
				out[r.Session] = []chatMessage{{"prompt", body.Prompt}}
			}
		}
	}
	return out
}

func TestThreadsAreLong(t *testing.T) {
	for _, n := range []int{5, 9, 10, 11, 200} {
		for id, messages := range last(t, mustNew(t, "threads", Options{Requests: n, PromptTokens: 20})) {
			users, characters := 0, 0
			for _, m := range messages {
				if m.Role == "user" {
					users++
					characters += len(m.Content)
				}
			}
			if users < 5 || characters <= 2500 || messages[0].Role != "user" {
				t.Errorf("%d requests: %s has %d messages of the user, %d characters, begins with %s", n, id, users, characters, messages[0].Role)
			}
		}
	}
}

func TestAgentsShareTheirTools(t *testing.T) {
	systems := map[string]int{}
	for id, messages := range last(t, mustNew(t, "agents", Options{Requests: 200})) {
		if messages[0].Role != "system" || len(messages[0].Content) != 12000*BytesPerToken {
			t.Errorf("%s begins with %d bytes of %s", id, len(messages[0].Content), messages[0].Role)
		}
		systems[messages[0].Content]++
	}
	if len(systems) != 2 {
		t.Errorf("%d system prompts, want 2", len(systems))
	}
}

func TestHotPrefixIsHot(t *testing.T) {
	systems := map[string]int{}
	for _, messages := range last(t, mustNew(t, "hot-prefix", Options{Requests: 1000, PromptTokens: 20})) {
		systems[messages[0].Content[:16]]++
	}
	if n := systems["You are the harb"]; n < 850 || n > 950 || len(systems) < 50 {
		t.Errorf("the hot one in %d of 1000, %d in all; want about 900, the others single", n, len(systems))
	}
}

func TestNoReuse(t *testing.T) {
	seen := map[string]bool{}
	for id, m := range last(t, mustNew(t, "no-reuse", Options{Requests: 1000})) {
		if head := m[0].Content[:8]; seen[head] {
			t.Errorf("%s begins like another: %q", id, head)
		} else {
			seen[head] = true
		}
	}
}

func TestBurstsKeepTheRate(t *testing.T) {
	span := func(name string) (total time.Duration, short int) {
		var gaps []time.Duration
		before := time.Duration(0)
		for _, s := range mustNew(t, name, Options{Requests: 8000, Rate: 4, PromptTokens: 20}).Start() {
			r, _ := s.Next("")
			gaps = append(gaps, r.At-before)
			before = r.At
		}
		for _, g := range gaps {
			if g < 50*time.Millisecond {
				short++
			}
		}
		return before, short
	}
	steady, few := span("shared-system")
	bursts, many := span("bursts")
	if ratio := bursts.Seconds() / steady.Seconds(); ratio < .8 || ratio > 1.2 {
		t.Errorf("bursts take %v, %v without; want the same mean rate", bursts, steady)
	}
	if many < 3*few {
		t.Errorf("%d gaps below 50 ms in bursts, %d without; want far more", many, few)
	}
}

func TestAnswer(t *testing.T) {
	a := Answer(1, 50)
	if len(a) != 200 || a != Answer(1, 50) || a == Answer(2, 50) || strings.TrimSpace(a) != a {
		t.Errorf("answer %q", a)
	}
}
