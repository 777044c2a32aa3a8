package loads

import (
	"math/rand/v2"

	"warmroute/hostsim/internal/trace"
)

// RepeatedPrompts is the load of KubeAI's benchmark "Prefix Aware Load Balancing": of ShareGPT conversations with 16
// messages or more, cut to 2,048 tokens as that data set is, every prefix that ends with the user's word is a prompt;
// the first 800 prompts (what --max-conversations means there) are shuffled and sent ten times over. Turns are drawn so
// that a prompt has 832 tokens on average and an answer 76, as published. Each prompt is a session of its own.
func RepeatedPrompts(seed uint64, rate float64) *trace.Trace {
	const prompts, times, leastTurns, most, user, answer, ends = 800, 10, 8, 2048, 48.0, 80.0, 0.16
	rng := rand.New(rand.NewPCG(seed, 1))
	b := newBuilder()
	type prompt struct {
		blocks        trace.Blocks
		tokens, reply int
	}
	var all []prompt
	for len(all) < prompts {
		c := b.Conversation(4 * most)
		var texts []prompt
		for tokens := 0; ; {
			tokens += Spread(rng, user)
			if tokens > most || len(texts) >= leastTurns && rng.Float64() < ends {
				break
			}
			texts = append(texts, prompt{b.prompt(c, tokens), tokens, max(4, Spread(rng, answer))})
			tokens += texts[len(texts)-1].reply
		}
		if len(texts) >= leastTurns {
			all = append(all, texts...)
		}
	}
	all = all[:prompts]
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	at := 0.0
	for i := range prompts * times {
		p := all[i%prompts]
		b.Trace.Requests = append(b.Trace.Requests, trace.Request{
			At: int64(at * 1e9), Session: i, After: -1, Blocks: p.blocks, InputTokens: p.tokens, OutputTokens: p.reply,
		})
		at += rng.ExpFloat64() / rate
	}
	return b.done(prompts * times)
}

// ChatThreads is the load of KubeAI's k6 benchmark: 1,000 ShareGPT threads with at least five messages of the user and
// 2,500 characters of theirs, each turn sent when the answer of ten tokens to the one before is there. Turns are drawn
// so that there are 7,341 requests of 680 tokens on average, as published.
func ChatThreads(seed uint64) *trace.Trace {
	const threads, leastTurns, answer, leastTokens = 1000, 5, 10, 625
	rng := rand.New(rand.NewPCG(seed, 2))
	b := newBuilder()
	for thread := range threads {
		turns := leastTurns
		for turns < 40 && rng.Float64() < 0.702 { // 2.34 more on average
			turns++
		}
		var lengths []int
		total := 0
		for range turns {
			lengths = append(lengths, Spread(rng, 126))
			total += lengths[len(lengths)-1]
		}
		lengths[0] += max(0, leastTokens-total)
		c := b.Conversation(total + leastTokens + turns*answer)
		tokens, after := 0, -1
		for _, n := range lengths {
			tokens += n
			b.Trace.Requests = append(b.Trace.Requests, trace.Request{
				At: int64(thread), Session: thread, After: after, Think: 5e6,
				Blocks: b.prompt(c, tokens), InputTokens: tokens, OutputTokens: answer,
			})
			after = len(b.Trace.Requests) - 1
			tokens += answer
		}
	}
	return b.done(threads)
}
