package workload

import (
	"cmp"
	"fmt"
	"math/rand/v2"
)

// phrases makes the workload of the first proof of concept: a few long prompts that differ from their first characters on,
// sent in turn, A B A B A B. A router that sends each to the replica that had it computes it once; random choice does not.
func (w *Workload) phrases(rng *rand.Rand, o Options) {
	kinds := cmp.Or(o.SystemPrompts, 2)
	tokens := cmp.Or(o.PromptTokens, 4000)
	texts := make([]string, kinds)
	for i := range texts {
		texts[i] = text(rng, fmt.Sprintf("Phrase %d. ", i+1), tokens)
	}
	for i := range o.Requests {
		w.scripts = append(w.scripts, script{
			id: fmt.Sprintf("phrase-%d-%d", i%kinds+1, i), prompt: texts[i%kinds],
			turns: []turn{{output: cmp.Or(o.OutputTokens, 16)}},
		})
	}
}

// conversations makes chats of several turns under a few shared system prompts. The number of turns is
// geometric with mean 4, at most 12 (our choice); the last session is cut to make the number of requests.
func (w *Workload) conversations(rng *rand.Rand, o Options) {
	const promptMean, outputMean, meanTurns, maxTurns = 161, 338, 4, 12
	w.Live = cmp.Or(o.Live, 32)
	systems := systemPrompts(rng, cmp.Or(o.SystemPrompts, 3), cmp.Or(o.PromptTokens, 1000))
	for left := o.Requests; left > 0; {
		turns := 1
		for turns < maxTurns && rng.IntN(meanTurns) > 0 {
			turns++
		}
		turns = min(turns, left)
		left -= turns
		s := script{id: fmt.Sprintf("chat-%d", len(w.scripts)), system: systems[rng.IntN(len(systems))]}
		for range turns {
			s.turns = append(s.turns, turn{
				user:   text(rng, "", logNormal(rng, promptMean)),
				output: logNormal(rng, cmp.Or(o.OutputTokens, outputMean)),
			})
		}
		w.scripts = append(w.scripts, s)
	}
}

// sharedSystem makes single questions of many users under a few system prompts of unequal popularity: the k-th has a
// share in proportion to 1/k (Zipf).
func (w *Workload) sharedSystem(rng *rand.Rand, o Options) {
	const promptMean, outputMean = 100, 64
	w.Live = cmp.Or(o.Live, 32)
	systems := systemPrompts(rng, cmp.Or(o.SystemPrompts, 4), cmp.Or(o.PromptTokens, 2000))
	total := 0.0
	for k := range systems {
		total += 1 / float64(k+1)
	}
	for i := range o.Requests {
		k, x := 0, rng.Float64()*total
		for x > 1/float64(k+1) && k < len(systems)-1 {
			x -= 1 / float64(k+1)
			k++
		}
		w.scripts = append(w.scripts, script{
			id: fmt.Sprintf("user-%d", i), system: systems[k],
			turns: []turn{{user: text(rng, "", logNormal(rng, promptMean)), output: logNormal(rng, cmp.Or(o.OutputTokens, outputMean))}},
		})
	}
}

func systemPrompts(rng *rand.Rand, n, tokens int) []string {
	prompts := make([]string, n)
	for i := range prompts {
		prompts[i] = text(rng, fmt.Sprintf("You are assistant %d of the harbour office. Follow these rules. ", i+1), tokens)
	}
	return prompts
}
