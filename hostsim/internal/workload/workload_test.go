package workload

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// play runs all sessions, turn after turn, and returns the requests; every answer is "ok" and its turn.
func play(t *testing.T, w *Workload) []Request {
	t.Helper()
	var all []Request
	for _, s := range w.Start() {
		answer := ""
		for {
			r, ok := s.Next(answer)
			if !ok {
				break
			}
			if r.Session != s.ID() {
				t.Errorf("request of session %s within %s", r.Session, s.ID())
			}
			answer = "ok" + r.Session
			all = append(all, r)
		}
	}
	return all
}

func mustNew(t *testing.T, name string, o Options) *Workload {
	t.Helper()
	w, err := New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func same(a, b Request) bool {
	return a.At == b.At && a.Session == b.Session && a.Path == b.Path && a.OutputTokens == b.OutputTokens && string(a.Body) == string(b.Body)
}

func TestSameSeedSameRequests(t *testing.T) {
	for _, name := range Names() {
		o := Options{Seed: 3, Requests: 50, Model: "m", Rate: 2}
		w := mustNew(t, name, o)
		first := play(t, w)
		if len(first) != 50 || w.Requests() != 50 {
			t.Errorf("%s: %d requests, %d announced, want 50", name, len(first), w.Requests())
		}
		if !slices.EqualFunc(first, play(t, w), same) {
			t.Errorf("%s: a second pass differs", name)
		}
		if !slices.EqualFunc(first, play(t, mustNew(t, name, o)), same) {
			t.Errorf("%s: the same seed differs", name)
		}
		o.Seed = 4
		if slices.EqualFunc(first, play(t, mustNew(t, name, o)), same) {
			t.Errorf("%s: another seed makes the same requests", name)
		}
		for _, r := range first {
			var body requestBody
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			if body.Model != "m" || !body.Stream || !body.StreamOptions.IncludeUsage || body.MaxTokens != r.OutputTokens || r.OutputTokens < 1 {
				t.Errorf("%s: body %.200s", name, r.Body)
			}
		}
		if !slices.IsSortedFunc(first, func(a, b Request) int { return int(a.At - b.At) }) || first[49].At == 0 {
			t.Errorf("%s: starts do not ascend from 0", name)
		}
	}
}

func TestPhrasesAlternate(t *testing.T) {
	var prompts []string
	for _, r := range play(t, mustNew(t, "phrases", Options{Requests: 6})) {
		var body requestBody
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		if r.Path != "/v1/completions" || len(body.Prompt) != 4000*BytesPerToken {
			t.Errorf("%s with %d bytes, want a completion of 16000", r.Path, len(body.Prompt))
		}
		prompts = append(prompts, body.Prompt)
	}
	for i, p := range prompts {
		if p != prompts[i%2] {
			t.Errorf("request %d is not phrase %d", i, i%2)
		}
	}
	if prompts[0][:20] == prompts[1][:20] {
		t.Error("the phrases do not differ within 20 characters")
	}
}

func TestConversationsCarryTheAnswers(t *testing.T) {
	w := mustNew(t, "conversations", Options{Requests: 60})
	systems := map[string]bool{}
	turns := 0
	for _, s := range w.Start() {
		var before []chatMessage
		answer := ""
		for {
			r, ok := s.Next(answer)
			if !ok {
				break
			}
			turns++
			var body requestBody
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			m := body.Messages
			systems[m[0].Content] = true
			if before != nil {
				want := append(slices.Clone(before), chatMessage{"assistant", answer})
				if diff := cmp.Diff(want, m[:len(m)-1]); diff != "" {
					t.Fatalf("the next turn does not extend the last:\n%s", diff)
				}
			}
			if m[0].Role != "system" || m[len(m)-1].Role != "user" {
				t.Errorf("roles %q … %q", m[0].Role, m[len(m)-1].Role)
			}
			before, answer = m, strings.Repeat("said ", turns)
		}
	}
	if len(systems) != 3 || turns != 60 || len(w.scripts) >= 60 {
		t.Errorf("%d system prompts, %d turns, %d sessions; want 3, 60 and fewer", len(systems), turns, len(w.scripts))
	}
}

func TestSharedSystemIsSkewed(t *testing.T) {
	counts := map[string]int{}
	for _, r := range play(t, mustNew(t, "shared-system", Options{Requests: 1000, PromptTokens: 50})) {
		var body requestBody
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		counts[body.Messages[0].Content[:len("You are assistant 1")]]++
	}
	if len(counts) != 4 || counts["You are assistant 1"] < 2*counts["You are assistant 4"] {
		t.Errorf("asked %v; want 4 prompts, the first far more than the last", counts)
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"phrases", Options{}, "requests"},
		{"odd", Options{Requests: 1}, "phrases, conversations, shared-system"},
		{"phrases", Options{Requests: 1, PromptTokens: -1}, "negative"},
	} {
		if _, err := New(c.name, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: got %v, want %q", c.name, c.o, err, c.want)
		}
	}
}
