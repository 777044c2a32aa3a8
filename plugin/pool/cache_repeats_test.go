package pool

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
)

// chat is a conversation whose prompts grow by an answer and a question.
type chat struct {
	text []byte
	rng  *rand.Rand
}

func newChat(seed uint64) *chat {
	c := &chat{rng: rand.New(rand.NewPCG(seed, 1))}
	c.grow(8000)
	return c
}

func (c *chat) grow(bytes int) {
	for range bytes {
		c.text = append(c.text, byte('a'+c.rng.IntN(26)))
	}
}

func (c *chat) prompt() *prompt.Prompt { return &prompt.Prompt{Text: append([]byte{}, c.text...)} }

// Of a turn that goes on where the one before was sent, what usage shows of its answer is expected at that endpoint alone.
func TestRepeatsAreLearned(t *testing.T) {
	const answer, question = 6000, 2000 // bytes: 1,500 and 500 tokens
	for name, c := range map[string]struct {
		found       int // tokens of the answer
		edit        func(*prompt.Prompt)
		least, most float64 // share of what a turn adds that is expected
	}{
		"the answer stays":       {answer / 4, nil, 0.6, 0.76},
		"it is dropped":          {0, nil, 0, 0.02},
		"its usage tells little": {answer / 4, func(of *prompt.Prompt) { of.Atypical = true }, 0, 0},
		"pictures":               {answer / 4, func(of *prompt.Prompt) { of.Media = true }, 0, 0},
	} {
		p, now := newPool(2), second
		var last *Flight
		var c1 *chat
		for n := range uint64(20) {
			c1 = newChat(n)
			cached := 0
			for range 4 {
				of := c1.prompt()
				if c.edit != nil {
					c.edit(of)
				}
				last = send(p, 1, of, now)
				now += 5 * second
				p.End(last, now, Outcome{Ending: health.Answered, Usage: true, PromptTokens: of.Size() / 4, CachedTokens: cached, OutputTokens: answer / 4})
				cached = of.Size()/4 + c.found
				c1.grow(answer + question)
			}
		}
		share := p.repeats.Share()
		if share < c.least || share > c.most {
			t.Errorf("%s: a share of %.2f, want %.2f to %.2f", name, share, c.least, c.most)
		}
		f := new(Flight)
		p.Prepare(f, c1.prompt(), nil, 0)
		depth := p.Match(f)
		plain := f.cached(int(depth[1]), 0)
		if got, want := f.Cached(int(depth[1]))-plain, share*(f.Tokens-plain); got < want-1 || got > want+1 {
			t.Errorf("%s: %.0f tokens of the answer are expected, want %.0f", name, got, want)
		}
		if depth[0] != 0 || f.Cached(0) != 0 || f.Cached(int(depth[1])-1) > plain {
			t.Errorf("%s: something of the answer is expected elsewhere, or behind an older turn: %v", name, depth)
		}
	}
}

// A beginning that several conversations share has no answer behind it.
func TestBeginningsHaveNoAnswers(t *testing.T) {
	p, now := newPool(1), second
	ask := func(n uint64) {
		of := newChat(7).prompt()
		of.Text = append(of.Text, newChat(100 + n).text[:2000]...)
		p.End(send(p, 0, of, now), now, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 2500, CachedTokens: 2400})
		now += 5 * second
	}
	for n := range uint64(3) { // of a single one nobody knows where it will part
		ask(n)
	}
	before := p.repeats
	for n := range uint64(40) {
		ask(3 + n)
	}
	if p.repeats != before {
		t.Errorf("something is learned of prompts that only begin alike: %+v, before %+v", p.repeats, before)
	}
}
