package metrics

import "warmroute/plugin/worker"

// shadow compares the shadow policy with the live one.
type shadow struct {
	decisions      family
	live, expected metric
}

func newShadow(policy, pool string) shadow {
	return shadow{
		decisions: family{id: shadowDecisionsTotal, rest: []string{policy, pool}},
		live:      shadowLiveTokensTotal.define(policy, pool),
		expected:  shadowExpectedTokensTotal.define(policy, pool),
	}
}

func (m *shadow) count(c worker.Comparison) {
	if c.Agrees {
		m.decisions.add("agrees")
	} else {
		m.decisions.add("differs")
	}
	m.live.add(int64(c.Live))
	m.expected.add(int64(c.Shadow))
}
