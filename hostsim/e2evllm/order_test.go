//go:build e2evllm

package e2evllm

import (
	"os/exec"
	"strings"
	"testing"
)

// TestOrder: prompts share what their model's chat template puts first, for vLLM and for the module alike, and doctor sees which that is.
func TestOrder(t *testing.T) {
	body := func(system, tool string) map[string]any {
		return chat(system, "Go on.", map[string]any{"tool_choice": "none", "tools": []any{map[string]any{
			"type": "function", "function": map[string]any{"name": "read", "description": story(tool), "parameters": map[string]any{"type": "object", "properties": map[string]any{}}},
		}}})
	}
	server := strings.Split(pool(t, "addresses"), ",")[0]
	s := launch(t, map[string]any{"endpoints": []string{server}})
	hits := func() float64 { return sum(t, s.page(t, server), "vllm:prefix_cache_hits_total") }
	for _, c := range []struct {
		what         string
		system, tool string
		most, least  float64 // share that is found
	}{
		{"nothing like it was there", "one", "A", 0.05, 0},
		{"the same", "one", "A", 1, 0.9},
		{"other tools behind the same system prompt", "one", "B", 0.7, 0.3},
		{"the same tools behind another system prompt", "two", "A", 0.05, 0},
	} {
		before := hits()
		r := s.post(t, "/v1/chat/completions", body(c.system, c.tool))
		if r.status != 200 {
			t.Fatalf("%s: status %d: %.300s", c.what, r.status, r.body)
		}
		found, believed := (hits()-before)/float64(r.prompt), r.number("matched")/r.number("blocks")
		if found < c.least || found > c.most || believed < c.least || believed > c.most {
			t.Errorf("%s: vLLM found %.2f of it, %.2f was believed to be cached; want %v to %v", c.what, found, believed, c.least, c.most)
		}
	}
	for first, want := range map[bool]bool{false: false, true: true} {
		s := launch(t, map[string]any{"endpoints": []string{server}, "tools_first": first})
		out, _ := exec.Command(root+"build/hostsim", "doctor", "--admin", s.Admin).CombinedOutput() // its status is that of what it found
		if said := strings.Contains(string(out), "tools_first"); said != want {
			t.Errorf("tools_first %v: doctor says so: %v\n%s", first, said, out)
		}
	}
}
