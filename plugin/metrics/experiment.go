package metrics

import (
	"strconv"

	"warmroute/plugin/worker"
)

// experiment compares the arms of an experiment, by groups of sessions: a query can tell by how these differ how far a
// mean may be off by chance.
type experiment struct {
	arms     [len(worker.ArmNames)][worker.Groups]group
	baseline baseline
}

// group is the metrics of one group of an arm.
type group struct{ ttfts, ttft, usages, prompt, computed total }

// newExperiment makes those of the two arms, with the policy of each: all at once, because what a counter had counted
// before Prometheus first saw it is in no increase.
func newExperiment(live, other, pool string) *experiment {
	m := &experiment{}
	for arm, policy := range map[worker.Arm]string{worker.Live: live, worker.Experimental: other} {
		for i := range m.arms[arm] {
			of := func(id metricID) total {
				return total{metric: id.define(worker.ArmNames[arm], strconv.Itoa(i), policy, pool)}
			}
			m.arms[arm][i] = group{of(armStreamsTotal), of(armTTFTTotal), of(armAnswersTotal), of(armPromptTokensTotal), of(armComputedTokensTotal)}
		}
	}
	return m
}

// ended counts a request that has ended.
func (m *experiment) ended(x *worker.Exchange) {
	arm := x.Arm()
	if m == nil || arm == worker.NoArm {
		return
	}
	g := &m.arms[arm][x.Group()]
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

// flush passes on what was counted since the last call.
func (m *experiment) flush() {
	for arm := range m.arms {
		for i := range m.arms[arm] {
			g := &m.arms[arm][i]
			g.ttfts.flush()
			g.ttft.flush()
			g.usages.flush()
			g.prompt.flush()
			g.computed.flush()
		}
	}
}
