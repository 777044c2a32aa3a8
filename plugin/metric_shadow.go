package main

import "warmroute/plugin/worker"

// shadowMetrics compare the shadow policy with the live one.
type shadowMetrics struct {
	decisions      family
	live, expected metric
}

func newShadowMetrics(policy, pool string) shadowMetrics {
	return shadowMetrics{
		decisions: family{id: shadowDecisionsTotal, rest: []string{policy, pool}},
		live:      shadowLiveTokensTotal.define(policy, pool),
		expected:  shadowExpectedTokensTotal.define(policy, pool),
	}
}

func (m *shadowMetrics) count(c worker.Comparison) {
	if c.Agrees {
		m.decisions.add("agrees")
	} else {
		m.decisions.add("differs")
	}
	m.live.add(int64(c.Live))
	m.expected.add(int64(c.Shadow))
}
