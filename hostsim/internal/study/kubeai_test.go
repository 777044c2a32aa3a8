package study

import (
	"math"
	"testing"
)

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
