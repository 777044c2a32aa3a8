package cases

import (
	"math/rand/v2"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// DrawnMessages are the cases of Drawn as clients of chat completions send them: messages with roles, and the next prompt repeats the
// answer, whose KV is found again. Where no agent asks, what is asked has 8 to 300 tokens on average, before it fills a block of 16 with the answer before it, and an answer 20 to 2,000, but no more
// than a sixteenth of a replica's memory. In a third of the cases what several begin with stands in the first question, not in a system
// prompt. Sessions wait for answers. None is a cut of a recorded trace.
func DrawnMessages(n int, seed uint64) []Case {
	return drawn(n, seed, "messages", func(i int) deck {
		return deck{card: card, talk: func(l *drawnLoad) { l.talk(rand.New(rand.NewPCG(seed, 59_000+uint64(i)))) }}
	})
}

// drawnBodies is the most tokens of prompts that have bodies, which are kept.
const drawnBodies = 15_000_000

// talk makes prompts messages.
func (l *drawnLoad) talk(rng *rand.Rand) {
	system := rng.IntN(3) > 0
	l.long, l.stay, l.mostPrompts, l.mostAnswers = true, true, drawnBodies, drawnLong
	l.messages = func(t *trace.Trace) { write(t, system) }
	for i := range l.families {
		if f := &l.families[i]; f.kind != "agents" {
			f.turn, f.answer = int(span{8, 300}.draw(rng)), min(int(span{20, 2000}.draw(rng)), l.leastKV()/16)
		}
	}
}

// write gives each request of t a body in place of blocks. Its first span is the system prompt, or begins the first question, and each
// further one is the answer before it, as long as that request says, and a question.
func write(t *trace.Trace, system bool) {
	maker := trace.Maker{Seed: 1}
	bodies := make([]body, len(t.Requests))
	for i := range t.Requests {
		r, b := &t.Requests[i], &bodies[i]
		text := func(s trace.Span) (out []byte) {
			for k := range s.N {
				out = maker.AppendText(out, s.First+k, t.BlockSize)
			}
			return out
		}
		last := text(r.Blocks[len(r.Blocks)-1])
		switch {
		case r.After >= 0:
			*b = append(*b, bodies[r.After]...)
			said := t.Requests[r.After].OutputTokens * trace.BytesPerToken
			b.say("assistant", last[:said])
			last = last[said:]
		case system:
			b.say("system", text(r.Blocks[0]))
		default:
			last = append(text(r.Blocks[0]), last...)
		}
		b.say("user", last)
	}
	for i := range t.Requests {
		r := &t.Requests[i]
		r.Body = append(append([]byte(`{"model":"`+vllm.DefaultModel+`","stream":true,"stream_options":{"include_usage":true},"messages":[`), bodies[i]...), "]}"...)
		r.Path, r.Blocks = "/v1/chat/completions", nil
	}
	t.BlockSize, t.IDs = 0, 0
}

// body is the messages of one.
type body []byte

// say adds a message, whose text needs no escapes.
func (b *body) say(role string, text []byte) {
	if len(*b) > 0 {
		*b = append(*b, ',')
	}
	*b = append(append(append(append(append(*b, `{"role":"`...), role...), `","content":"`...), text...), `"}`...)
}
