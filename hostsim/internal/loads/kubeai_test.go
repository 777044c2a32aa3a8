package loads

import (
	"math"
	"testing"

	"warmroute/hostsim/internal/trace"
)

// The loads have the sizes that KubeAI published.
func TestKubeAILoads(t *testing.T) {
	for name, c := range map[string]struct {
		load              func() (requests, prompt, answer float64)
		n, prompt, answer float64
	}{
		"prompts": {func() (float64, float64, float64) { return sizes(RepeatedPrompts(1, 800)) }, 8000, 832, 76},
		"threads": {func() (float64, float64, float64) { return sizes(ChatThreads(1)) }, 7341, 680, 9.3},
	} {
		n, prompt, answer := c.load()
		if math.Abs(n/c.n-1) > 0.02 || math.Abs(prompt/c.prompt-1) > 0.12 || math.Abs(answer/c.answer-1) > 0.12 {
			t.Errorf("%s: %v requests of %.0f tokens, answers %.1f; want %v, %v, %v", name, n, prompt, answer, c.n, c.prompt, c.answer)
		}
	}
}

func sizes(t *trace.Trace) (requests, prompt, answer float64) {
	n := float64(len(t.Requests))
	for _, r := range t.Requests {
		prompt += float64(r.InputTokens) / n
		answer += float64(r.OutputTokens) / n
	}
	return n, prompt, answer
}
