package speed

import "math"

// A response that is not streamed shows no first token, only when all of it has come. So where nearly none is streamed, speed is learned
// from whole responses: a curve is fitted to their times over the tokens that had to be computed before the first token and those of the
// response. Most of the time is the response's, which says of a card's speed as much as its prompt's does, but little of how the time is
// shared out between the two: from one batch to another the steps of a response differ by more than a prompt takes. That is known of
// cards, though: see stepTokens.
//
// What such a response teaches is its time ÷ what the curve expects of it. The time to the first token is then taken to have been as many
// times what the curve expects of that, and counts like one that was seen (learn), for other workers and gateways too.

const (
	// stepTokens is how many prompt tokens are computed in the time of a response's token: computing a prompt is bound by arithmetic, a step
	// of responses by reading the weights, and cards have about as much of the one for the other. 84 to 384 on 19 cards and models with
	// eight responses of 2,000 tokens' context (hostsim profile), 200 in the median.
	stepTokens = 200

	// stepTokensApart is how far they are from that, as a standard deviation of the logarithm: ln 2. Prompts say more where they differ much.
	stepTokensApart = 0.7

	// attention is the tokens before it from which on a token of a prompt takes twice as long as the first one. By counts of operations 30,000
	// for 8B and 32B models and 53,000 for 70B (4 × layers × width for each token before it, 2 × parameters for itself); kernels of
	// attention are slower than others: an H100 with an 8B model takes 20,000.
	attention = 30e3

	// scatter is how far the times of whole responses are apart that the curve takes for equal, as a part of them: batches differ.
	scatter = 0.3
)

// wholes is what whole responses have shown, of this worker's.
type wholes struct {
	n       float64 // of them, of about the last hundred
	streams float64 // how many of about the last hundred responses that could teach were streamed
	sums    Sums    // x: tokens computed before the first token, those queued ahead included, and what their pairs take, y: seconds, z: steps of the response; each weighs one ÷ its expected time squared
	curve   curve   // 0, seconds of a token to compute, of a step
	fastest fastest // the least time ÷ steps
	depth   depth
	learned bool // since fit
}

// sees counts a response by whether it showed its first token.
func (w *wholes) sees(first bool) {
	if w.streams *= Keep; first {
		w.streams++
	}
}

// teach says whether whole responses are learned from: those that show a first token tell more.
func (w *wholes) teach() bool { return w.streams < enough }

// add takes a response: tokens to compute before its first, its steps, and seconds that it would have taken at an endpoint of mean speed.
func (w *wholes) add(tokens, steps, seconds float64) {
	expected := w.expected(tokens, steps)
	seconds = min(max(seconds, expected/surprise), expected*surprise)
	weight := 1 / float64(expected*expected)
	for k, x := range [len(w.sums)]float64{
		sumN: 1, sumX: tokens, sumY: seconds, sumXX: tokens * tokens, sumXY: tokens * seconds, sumYY: seconds * seconds,
		sumZ: steps, sumXZ: tokens * steps, sumZZ: steps * steps, sumYZ: seconds * steps,
	} {
		w.sums[k] = float64(w.sums[k]*Keep) + float64(weight*x)
	}
	w.n, w.learned = float64(w.n*Keep)+1, true
	w.fastest.note(seconds / steps)
}

// expected is the seconds that such a response takes.
func (w *wholes) expected(tokens, steps float64) float64 {
	if w.curve[1] > 0 {
		return float64(w.curve[1]*tokens) + float64(w.curve[2]*steps)
	}
	return AssumedPerToken * (tokens + float64(stepTokens*steps))
}

// fit fits the curve, a token to compute being drawn to the stepTokens-th part of the fastest response's steps: ridge regression, as the mean of a
// normal prior (Hoerl, Kennard, "Ridge Regression", Technometrics 12, 1970).
func (w *wholes) fit() {
	if !w.learned || w.n < enough {
		return
	}
	w.learned = false
	drawn := w.sums
	drawn[sumN] = math.Inf(1) // prompts are often about as long as each other, and a constant would take their time
	usual := w.fastest.seconds() / stepTokens
	weight := scatter / (stepTokensApart * usual)
	weight *= weight
	drawn[sumXX] += weight
	drawn[sumXY] += float64(weight * usual)
	w.curve.fit(&drawn)
}

// Deeper is what the attention of a prompt, of which so many tokens are computed and cached, takes beyond that of a prompt of usual depth, in
// tokens of such a prompt. 0 before a whole response.
func (s *Speeds) Deeper(computed, cached float64) float64 {
	d := &s.wholes.depth
	if d.of == 0 {
		return 0
	}
	return deeper(computed, cached, d.sum/d.of)
}

// Whole takes a response of endpoint i that was not streamed. Where those that show a first token are some, they are learned from instead.
func (s *Speeds) Whole(i int, r Response) {
	w := &s.wholes
	if w.sees(false); !w.teach() || r.Output < 1 || r.Seconds <= 0 {
		return
	}
	steps := r.Output + 1
	w.depth.add(r.Computed, r.Cached)
	of := s.sample(i, &r)
	work := of.tokens + of.pairs/attention
	w.add(work, steps, r.Seconds/s.ends[i].shown())
	if c := &w.curve; c[1] > 0 {
		of.seconds = (c[2] + float64(c[1]*work)) * r.Seconds / w.expected(work, steps)
		s.learn(i, of)
	}
}
