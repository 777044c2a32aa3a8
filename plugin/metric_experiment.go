package main

import (
	"strconv"

	"warmroute/plugin/worker"
)

// experimentMetrics compare the arms of an experiment, by groups of sessions: a query can tell by how these differ how far a
// mean may be off by chance.
type experimentMetrics struct {
	arms     [len(worker.ArmNames)]armMetrics
	baseline baseline
}

// armMetrics are those of an arm.
type armMetrics struct{ groups [worker.Groups]groupMetrics }

type groupMetrics struct{ ttfts, ttft, usages, prompt, computed total }

// newExperimentMetrics makes those of the two arms, with the policy of each: all at once, because what a counter had counted
// before Prometheus first saw it is in no increase.
func newExperimentMetrics(live, other, pool string) *experimentMetrics {
	m := &experimentMetrics{}
	for arm, policy := range map[worker.Arm]string{worker.Live: live, worker.Experimental: other} {
		for i := range m.arms[arm].groups {
			of := func(id metricID) total {
				return total{metric: id.define(worker.ArmNames[arm], strconv.Itoa(i), policy, pool)}
			}
			m.arms[arm].groups[i] = groupMetrics{of(armStreamsTotal), of(armTTFTTotal), of(armAnswersTotal), of(armPromptTokensTotal), of(armComputedTokensTotal)}
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
	g := &m.arms[arm].groups[x.Group()]
	if x.TTFT() > 0 {
		g.ttfts.add(1)
		g.ttft.add(x.TTFT() / 1e6)
	}
	if tokens, cached, known := x.Usage(); known && tokens > 0 {
		computed := max(tokens-cached, 0)
		g.usages.add(1)
		g.prompt.add(int64(tokens))
		g.computed.add(int64(computed))
		m.baseline.answered(arm, tokens, computed)
	}
}

// tell passes on what was counted since the last call.
func (m *experimentMetrics) tell() {
	for arm := range m.arms {
		for i := range m.arms[arm].groups {
			g := &m.arms[arm].groups[i]
			g.ttfts.tell()
			g.ttft.tell()
			g.usages.tell()
			g.prompt.tell()
			g.computed.tell()
		}
	}
}
