package loads

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Pictures is so many chats about pictures, of which so many begin a second: one of four system prompts of 800 tokens, then one to three
// pictures and a question, and five turns on average, each fourth of which brings one more. Half of the pictures are of a catalogue of
// forty, as a shop's or a manual's; the others are seen in one chat alone. Requests have bodies, whose pictures are URLs.
func Pictures(sessions int, rate float64) Load {
	return func(d *Drawing) (*trace.Trace, error) {
		p := &pictures{rng: rand.New(rand.NewPCG(d.Seed, 14))}
		var systems []string
		for range 4 {
			systems = append(systems, p.text(800))
		}
		at := 0.0
		for session := range sessions {
			p.chat(session, at, systems[min(int(p.rng.ExpFloat64()), len(systems)-1)])
			at += p.rng.ExpFloat64() / rate
		}
		p.sort()
		return &trace.Trace{Requests: p.requests, Sessions: sessions}, nil
	}
}

type pictures struct {
	rng      *rand.Rand
	requests []trace.Request
	seen     int
}

func (p *pictures) chat(session int, at float64, system string) {
	messages := fmt.Appendf(nil, `{"role":"system","content":"%s"}`, system)
	catalogue := p.rng.Float64() < 0.5
	think := 0.0
	for turn := 0; turn == 0 || p.rng.Float64() < 0.8; turn++ {
		more := 0
		switch {
		case turn == 0:
			more = []int{1, 1, 2, 3}[p.rng.IntN(4)]
		case p.rng.Float64() < 0.25:
			more = 1
		}
		messages = append(messages, `,{"role":"user","content":[`...)
		for range more {
			messages = fmt.Appendf(messages, `{"type":"image_url","image_url":{"url":"https://pictures.example/%s.png"}},`, p.picture(catalogue))
		}
		messages = fmt.Appendf(messages, `{"type":"text","text":"%s"}]}`, p.text(Spread(p.rng, 50)))
		answer := Spread(p.rng, 120)
		p.requests = append(p.requests, trace.Request{
			At: int64(at * 1e9), Session: session, After: -1, Think: int64(think * 1e9), OutputTokens: answer, Path: "/v1/chat/completions",
			Body: fmt.Appendf(nil, `{"model":"%s","stream":true,"stream_options":{"include_usage":true},"messages":[%s]}`, vllm.DefaultModel, bytes.Clone(messages)),
		})
		messages = fmt.Appendf(messages, `,{"role":"assistant","content":"%s"}`, p.text(answer))
		think = 2 + 12*p.rng.ExpFloat64()
		at += think + 0.02*float64(answer)
	}
}

// sort brings the requests into the order in which they come, each after the one of its session before it.
func (p *pictures) sort() {
	slices.SortStableFunc(p.requests, func(a, b trace.Request) int { return int(a.At - b.At) })
	last := map[int]int{}
	for i := range p.requests {
		r := &p.requests[i]
		if before, known := last[r.Session]; known {
			r.After = before
		}
		last[r.Session] = i
	}
}

func (p *pictures) picture(catalogue bool) string {
	if catalogue {
		return fmt.Sprintf("catalogue-%d", p.rng.IntN(40))
	}
	p.seen++
	return fmt.Sprintf("own-%d", p.seen)
}

// text is so many tokens, as the replicas count them.
func (p *pictures) text(tokens int) string {
	out := make([]byte, 0, 4*tokens)
	for range tokens {
		word := p.rng.Uint32()
		out = append(out, 'a'+byte(word%26), 'a'+byte(word/26%26), 'a'+byte(word/676%26), ' ')
	}
	return string(out)
}
