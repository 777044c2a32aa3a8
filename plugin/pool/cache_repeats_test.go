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
		c1 := talk(p, &now, 1, 20, c.edit, func(tokens int) int { return tokens + c.found })
		share := p.repeats.Share()
		if share < c.least || share > c.most {
			t.Errorf("%s: a share of %.2f, want %.2f to %.2f", name, share, c.least, c.most)
		}
		f := new(Flight)
		p.Prepare(f, c1.prompt(), nil, 0)
		depth := p.Match(f)
		prompts := f.cachedOfPrompts(int(depth[1]))
		if got, want := f.Cached(int(depth[1]))-prompts, share*(f.Tokens-prompts); got < want-1 || got > want+1 {
			t.Errorf("%s: %.0f tokens of the answer are expected, want %.0f", name, got, want)
		}
		p.End(send(p, 0, c1.prompt(), now), now, Outcome{}) // the conversation goes on elsewhere
		c1.grow(answer + question)
		p.Prepare(f, c1.prompt(), nil, 0)
		if depth = p.Match(f); depth[1] >= depth[0] || f.Cached(int(depth[1])) != f.cachedOfPrompts(int(depth[1])) {
			t.Errorf("%s: something of an answer is expected behind an older turn: %v blocks are held", name, depth)
		}
	}
}

// What a turn adds beside an answer is found nowhere: a document that is pasted is not expected, and is no measure of what is repeated.
func TestDocumentsAreNotExpected(t *testing.T) {
	p, now := newPool(1), second
	talk(p, &now, 0, 20, nil, withAnswer)
	share := p.repeats.Share()
	c := newChat(99)
	p.End(send(p, 0, c.prompt(), now), now, Outcome{})
	c.grow(400_000)
	f := new(Flight)
	p.Prepare(f, c.prompt(), nil, 0)
	if got := f.Cached(int(p.Match(f)[0])) - 2000; got > longestRepeat*p.Answers.Mean()+100 {
		t.Errorf("%.0f tokens of a document are expected, answers have %.0f", got, p.Answers.Mean())
	}
	f = send(p, 0, c.prompt(), now)
	p.End(f, now+second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 102_000, CachedTokens: 2000})
	if got := p.repeats.Share(); got < share-0.2 {
		t.Errorf("after one document the share is %.2f instead of %.2f", got, share)
	}
}

// A cache that has lost the turn before tells nothing of answers.
func TestLostTurnsTellNothingOfAnswers(t *testing.T) {
	p, now := newPool(1), second
	talk(p, &now, 0, 20, nil, withAnswer)
	before := p.repeats
	for n := range uint64(20) {
		c := newChat(200 + n)
		p.End(send(p, 0, c.prompt(), now), now, Outcome{})
		c.grow(8000)
		p.End(send(p, 0, c.prompt(), now+second), now+2*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 4000, CachedTokens: 16})
	}
	if p.repeats != before {
		t.Errorf("caches that have lost all tell %+v of answers, before %+v", p.repeats, before)
	}
}

// Blocks of 1,056 tokens hold the end of a prompt and the beginning of its answer together.
func TestAnswersFillLargeBlocks(t *testing.T) {
	p, now := coarsePool(1, 1056), second
	talk(p, &now, 0, 40, nil, func(tokens int) int { return (tokens + 1500) / 1056 * 1056 })
	if share := p.repeats.Share(); share < 0.6 || share > 0.8 {
		t.Errorf("a share of %.2f, want about .75 less its error", share)
	}
}

// talk has so many conversations of four turns at endpoint i, whose prompts are edited, if that is not nil. Each turn adds 2,000 tokens, 1,500 of
// them the answer before. Of those of a prompt its cache holds what found says of the tokens of the turn before. The last conversation is
// returned, before its next turn.
func talk(p *Pool, now *int64, i, conversations int, edit func(*prompt.Prompt), found func(tokens int) int) (c *chat) {
	for n := range conversations {
		c = newChat(uint64(n))
		c.grow(2000 + 300*n) // so that prompts end anywhere in a block
		cached := 0
		for range 4 {
			of := c.prompt()
			if edit != nil {
				edit(of)
			}
			p.End(send(p, i, of, *now), *now+second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: of.Size() / 4, CachedTokens: cached, OutputTokens: 1500})
			*now += 5 * second
			cached = found(of.Size() / 4)
			c.grow(8000)
		}
	}
	return c
}

// withAnswer is what a cache holds of a turn that has ended.
func withAnswer(tokens int) int { return tokens + 1500 }

// What a prompt that ends at all of what is known leaves open is not its answer: it was not read to its end, or comes again.
func TestWholeMatchesHaveNoAnswers(t *testing.T) {
	p, now := newPool(1), second
	talk(p, &now, 0, 20, nil, withAnswer)
	of := newChat(77).prompt()
	p.End(send(p, 0, of, now), now, Outcome{})
	of.Truncated, of.BodyBytes = true, of.Size()
	f := new(Flight)
	p.Prepare(f, of, nil, 10*of.Size())
	if depth := int(p.Match(f)[0]); depth != f.Total || f.Cached(depth) != f.cachedOfPrompts(depth) {
		t.Errorf("%.0f of %.0f tokens are expected, of prompts %.0f", f.Cached(depth), f.Tokens, f.cachedOfPrompts(depth))
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
	for n := range uint64(2) { // of a single one nobody knows where it will part
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
