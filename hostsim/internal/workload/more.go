package workload

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"
)

// threads makes long chats without a system prompt, as KubeAI's benchmark selects them from ShareGPT: at least five
// messages of the user and 2,500 characters. A thread shares prefixes only with its own earlier turns. With fewer
// than five requests in all there is one shorter thread.
func (w *Workload) threads(rng *rand.Rand, o Options) {
	const leastTurns, maxTurns, leastTokens, promptMean, outputMean = 5, 20, 2500/BytesPerToken + 1, 161, 338
	w.Live = cmp.Or(o.Live, 32)
	for left := o.Requests; left > 0; {
		turns := leastTurns
		for turns < maxTurns && rng.IntN(4) > 0 {
			turns++
		}
		if turns > left-leastTurns { // what would be left makes no thread
			turns = left
		}
		left -= turns
		s := script{id: fmt.Sprintf("thread-%d", len(w.scripts))}
		total := 0
		for range turns {
			t := turn{output: logNormal(rng, cmp.Or(o.OutputTokens, outputMean))}
			length := logNormal(rng, cmp.Or(o.PromptTokens, promptMean))
			total += length
			if len(s.turns) == turns-1 {
				length += max(0, leastTokens-total)
			}
			t.user = text(rng, "", length)
			s.turns = append(s.turns, t)
		}
		w.scripts = append(w.scripts, s)
	}
}

// agents makes sessions of coding agents: a long text of tools and rules, the same for all agents of a kind, then many turns of tool
// results with short answers between them. Lengths are close to those of published agent traces; the last session is cut.
func (w *Workload) agents(rng *rand.Rand, o Options) {
	const leastTurns, spread, resultMean, outputMean = 10, 30, 600, 150
	w.Live = cmp.Or(o.Live, 16)
	systems := systemPrompts(rng, cmp.Or(o.SystemPrompts, 2), cmp.Or(o.PromptTokens, 12000))
	for left := o.Requests; left > 0; {
		turns := min(leastTurns+rng.IntN(spread), left)
		left -= turns
		s := script{id: fmt.Sprintf("agent-%d", len(w.scripts)), system: systems[rng.IntN(len(systems))]}
		for range turns {
			s.turns = append(s.turns, turn{
				user:   text(rng, "", logNormal(rng, resultMean)),
				output: logNormal(rng, cmp.Or(o.OutputTokens, outputMean)),
			})
		}
		w.scripts = append(w.scripts, s)
	}
}

// hotPrefix makes requests of which a share have the same system prompt, nine in ten by default; each of the others has one of
// its own. A policy that sends all requests with one prefix to one replica overloads it.
func (w *Workload) hotPrefix(rng *rand.Rand, o Options) {
	const promptMean, outputMean, usualShare = 100, 64, 0.9
	w.Live = cmp.Or(o.Live, 64)
	length := cmp.Or(o.PromptTokens, 4000)
	hot := text(rng, "You are the harbour's only assistant. ", length)
	for i := range o.Requests {
		system := hot
		if rng.Float64() >= cmp.Or(o.HotShare, usualShare) {
			system = text(rng, fmt.Sprintf("Stranger %08x. ", rng.Uint32()), length)
		}
		w.scripts = append(w.scripts, script{
			id: fmt.Sprintf("user-%d", i), system: system,
			turns: []turn{{user: text(rng, "", logNormal(rng, promptMean)), output: logNormal(rng, cmp.Or(o.OutputTokens, outputMean))}},
		})
	}
}

// noReuse makes prompts that differ from their first characters on: no cache helps.
func (w *Workload) noReuse(rng *rand.Rand, o Options) {
	const outputMean = 200
	w.Live = cmp.Or(o.Live, 32)
	for i := range o.Requests {
		prompt := text(rng, fmt.Sprintf("%08x ", rng.Uint32()), 3+logNormal(rng, cmp.Or(o.PromptTokens, 1000)))
		w.scripts = append(w.scripts, script{
			id: fmt.Sprintf("once-%d", i), prompt: prompt,
			turns: []turn{{output: logNormal(rng, cmp.Or(o.OutputTokens, outputMean))}},
		})
	}
}

// starts sets when sessions begin: by a Poisson process, or in bursts of 20 sessions on average that arrive at ten times
// the rate, with pauses between bursts that keep the mean rate.
func (w *Workload) starts(rng *rand.Rand, rate float64, bursts bool) {
	const meanBurst, faster = 20, 10
	at := 0.0
	for i := range w.scripts {
		if rate > 0 {
			gap := rng.ExpFloat64() / rate
			switch {
			case bursts && rng.IntN(meanBurst) > 0:
				gap /= faster
			case bursts:
				gap *= meanBurst - (meanBurst-1.0)/faster
			}
			at += gap
		}
		w.scripts[i].at = time.Duration(at * float64(time.Second))
	}
}

// Answer makes an answer of the given number of tokens, the same for the same seed. It is for workloads that are written
// to a file, where no server answers.
func Answer(seed uint64, tokens int) string {
	return text(rand.New(rand.NewPCG(seed, 2)), "", tokens)
}
