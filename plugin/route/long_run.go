package route

import "warmroute/plugin/load"

// longRun is the prompt tokens that each endpoint was given to compute over about longSpan. A minute's work, which the
// load table keeps, is what matters to those who wait now; but an endpoint that draws a little more than its share each
// minute, because it holds what is asked for, is 4 to 9 % above the mean in the end (Mooncake's traces, 8 replicas). Each
// worker keeps its own: where all are even, so is the sum.
type longRun struct {
	tokens []float64
	at     int64 // ns
}

// longSpan is the memory of longRun, in nanoseconds: what is older weighs 1/e. Of 300, 600, 1,200 s and no end, 1,200 was
// the evenest that cost no time to the first token.
const longSpan = 1200e9

func (l *longRun) give(endpoint int, tokens float64) {
	l.tokens[endpoint] = max(l.tokens[endpoint]+tokens, 0)
}

// fade lets time pass.
func (l *longRun) fade(now int64) {
	left := load.Fade(float64(now-l.at) / longSpan)
	for i := range l.tokens {
		l.tokens[i] *= left
	}
	l.at = now
}

// join gives an endpoint that has come, or come back, as much as the others were given for its weight: it gets its
// share of what is new, and not all of it until it has caught up.
func (p *pool) join(endpoint int) {
	sum, weight := 0.0, 0
	for i, tokens := range p.long.tokens {
		if i != endpoint && p.load.Bears(i) {
			sum, weight = sum+tokens, weight+p.load.Weight(i)
		}
	}
	if weight > 0 {
		p.long.tokens[endpoint] = sum * float64(p.load.Weight(endpoint)) / float64(weight)
	}
}

// even is the tokens given in the long run to those that are well, for each unit of their weight.
func (p *pool) even() float64 {
	sum, weight := 0.0, 0
	for i, tokens := range p.long.tokens {
		if p.class[i] == well {
			sum, weight = sum+tokens, weight+p.load.Weight(i)
		}
	}
	return sum / float64(max(weight, 1))
}

// settle takes from an answer how many tokens were computed in truth, where another number was expected: of prompts that
// are longer than what is inspected, the hit beyond is not foreseen.
func (r *Router) settle(d *Decision, now int64, o Outcome) {
	more := float64(max(o.PromptTokens-o.CachedTokens, 0)) - d.tokens
	r.Load.Corrected(d.endpoint, now, more)
	r.long.give(d.endpoint, more)
}
