package main

import "warmroute/plugin/worker"

// experimentMetrics compare the arms of an experiment. Sums of squares stand beside sums, so that a query can tell how far a
// mean may be off by chance.
type experimentMetrics struct {
	arms [len(worker.ArmNames)]armMetrics
}

type armMetrics struct {
	ttfts, ttft, ttftSquared            metric
	usages, prompt, computed, computed2 metric
}

// newExperimentMetrics makes those of the two arms, with the policy of each.
func newExperimentMetrics(live, other, pool string) *experimentMetrics {
	m := &experimentMetrics{}
	for arm, policy := range map[worker.Arm]string{worker.Live: live, worker.Experimental: other} {
		name := worker.ArmNames[arm]
		m.arms[arm] = armMetrics{
			ttfts:       armStreamsTotal.define(name, policy, pool),
			ttft:        armTTFTTotal.define(name, policy, pool),
			ttftSquared: armTTFTSquaredTotal.define(name, policy, pool),
			usages:      armAnswersTotal.define(name, policy, pool),
			prompt:      armPromptTokensTotal.define(name, policy, pool),
			computed:    armComputedTokensTotal.define(name, policy, pool),
			computed2:   armComputedSquaredTotal.define(name, policy, pool),
		}
	}
	return m
}

// ended counts a request that has ended.
func (m *experimentMetrics) ended(x *worker.Exchange) {
	arm := x.Arm()
	if m == nil || arm == worker.NoArm {
		return
	}
	a := &m.arms[arm]
	if ms := x.TTFT() / 1e6; x.TTFT() > 0 {
		a.ttfts.add(1)
		a.ttft.add(ms)
		a.ttftSquared.add(ms * ms)
	}
	if tokens, cached, known := x.Usage(); known && tokens > 0 {
		computed := int64(max(tokens-cached, 0))
		a.usages.add(1)
		a.prompt.add(int64(tokens))
		a.computed.add(computed)
		a.computed2.add(computed * computed)
	}
}
