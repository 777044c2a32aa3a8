package main

import "warmroute/plugin/inspect"

// shadowMetrics compare the shadow policy with the live one.
type shadowMetrics struct {
	decisions      family
	live, expected metric
}

func newShadowMetrics(policy string) shadowMetrics {
	return shadowMetrics{
		decisions: family{id: shadowDecisionsTotal, second: policy},
		live:      shadowLiveTokensTotal.define(policy),
		expected:  shadowExpectedTokensTotal.define(policy),
	}
}

func (m *shadowMetrics) count(o *inspect.Shadowed) {
	if o.Agrees() {
		m.decisions.add("agrees")
	} else {
		m.decisions.add("differs")
	}
	live, expected := o.Expected()
	m.live.add(int64(live))
	m.expected.add(int64(expected))
}
