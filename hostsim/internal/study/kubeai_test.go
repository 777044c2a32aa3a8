package study

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
		"prompts": {func() (float64, float64, float64) { return sizes(repeatedPrompts(1, 800)) }, 8000, 832, 76},
		"threads": {func() (float64, float64, float64) { return sizes(chatThreads(1)) }, 7341, 680, 9.3},
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

// Two replicas: least load is what the profile was fitted to, prefix hash is a prediction.
func TestKubeAITwoReplicas(t *testing.T) {
	var two []scenario
	for _, s := range scenarios {
		if s.replicas == 2 {
			two = append(two, s)
		}
	}
	rows, err := kubeAI(t.Context(), two, []string{"peer:kubeai_least_load", "peer:kubeai"}, 1, func(int, int, string) {})
	if err != nil {
		t.Fatal(err)
	}
	for i, within := range []float64{0.05, 0.10} {
		r := rows[i]
		if off := math.Abs(r.Throughput/r.PublishedThroughput - 1); off > within {
			t.Errorf("%s: %.2f requests a second, published %.2f", r.Policy, r.Throughput, r.PublishedThroughput)
		}
		if off := math.Abs(r.PerToken/r.PublishedPerToken - 1); off > 0.15 {
			t.Errorf("%s: %.0f ms a token, published %.0f", r.Policy, r.PerToken, r.PublishedPerToken)
		}
	}
	if page := KubeAIPage(rows); len(page.Findings) != 1 || len(page.Sections) != 1 || len(page.Sections[0].Rows) != 2 {
		t.Errorf("%d findings, %d sections", len(page.Findings), len(page.Sections))
	}
}
