package cases

import "math/rand/v2"

// DrawnReasoning are the cases of Drawn with models that reason: answers of 300 to 10,000 tokens on average, but no more than a sixteenth of a
// replica's memory. In half of the cases the next prompt has them, as where an agent goes on or the model's template keeps its reasoning, and their KV
// is found again; in the others only the prompt before, since the template drops what was reasoned. Sessions wait for answers. None is a
// cut of a recorded trace.
func DrawnReasoning(n int, seed uint64) []Case {
	return drawn(n, seed, "reasoning", func(i int) deck {
		return deck{card: card, talk: func(l *drawnLoad) { l.reason(rand.New(rand.NewPCG(seed, 53_000+uint64(i)))) }}
	})
}

// drawnLong is the most tokens of answers where these are long.
const drawnLong = 3_000_000

// reason gives the families such answers.
func (l *drawnLoad) reason(rng *rand.Rand) {
	l.long, l.stay, l.mostAnswers = true, rng.IntN(2) == 1, drawnLong
	for i := range l.families {
		f := &l.families[i]
		f.answer = min(int(span{300, 10_000}.draw(rng)), l.leastKV()/16) // as what turns add
	}
}
