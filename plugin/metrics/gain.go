package metrics

import "warmroute/plugin/worker"

// gain counts what the policy saves against a baseline. A counter never falls, and single requests lose as others gain: what
// is lost is made up before more is counted, so that the counter shows no more than the net.
type gain struct {
	tokens, seconds         metric
	tokensLeft, secondsLeft float64 // not counted yet; below 0: lost
}

func newGain(baseline, policy, pool string) gain {
	return gain{tokens: tokensSavedTotal.define(baseline, policy, pool), seconds: prefillSavedSecondsTotal.define(baseline, policy, pool)}
}

// save adds prompt tokens that the policy did not compute and the baseline would have; below 0 it is the other way round.
// perToken is the seconds that one takes, 0 if that is not known.
func (g *gain) save(tokens, perToken float64) {
	g.tokensLeft += tokens
	g.secondsLeft += tokens * perToken
}

// flush passes on what is whole: metrics of proxies are whole numbers.
func (g *gain) flush() {
	g.tokensLeft -= flushWhole(g.tokens, g.tokensLeft)
	g.secondsLeft -= flushWhole(g.seconds, g.secondsLeft)
}

func flushWhole(m metric, left float64) (flushed float64) {
	if left < 1 {
		return 0
	}
	n := int64(left)
	m.add(n)
	return float64(n)
}

// baseline is what an experiment's other arm computes of its prompts, and what the live one has answered that is not yet
// compared with it.
type baseline struct {
	answers, prompt, computed float64 // of the other arm, faded
	livePrompt, liveComputed  float64 // since compare
}

const (
	// keepAnswer is the weight of earlier answers at each new one: the share is that of about the last thousand.
	keepAnswer = 0.999
	// leastAnswers of the other arm give its share; before, the live arm's answers wait.
	leastAnswers = 20
)

// answered takes an answer's prompt tokens, and those of them that were computed.
func (b *baseline) answered(arm worker.Arm, prompt, computed int) {
	if arm == worker.Live {
		b.livePrompt += float64(prompt)
		b.liveComputed += float64(computed)
		return
	}
	b.answers = b.answers*keepAnswer + 1
	b.prompt = b.prompt*keepAnswer + float64(prompt)
	b.computed = b.computed*keepAnswer + float64(computed)
}

// compare returns the prompt tokens that the live arm did not compute since the last call and would have at the other's share.
func (b *baseline) compare() (tokens float64) {
	if b.answers < leastAnswers {
		return 0
	}
	tokens = b.livePrompt*b.computed/b.prompt - b.liveComputed
	b.livePrompt, b.liveComputed = 0, 0
	return tokens
}
