package pool

import (
	"strconv"
	"testing"

	"warmroute/plugin/prompt"
)

// believing is a pool whose only endpoint is believed to hold n prompts of 4,000 bytes, sent a second apart.
func believing(n int) (p *Pool, now int64) {
	p, now = newPool(1), second
	for i := range n {
		p.End(send(p, 0, numbered(i), now), now, cachedOf(16)) // its own blocks are of 16 tokens
		now += second
	}
	return p, now + 5*second
}

func numbered(n int) *prompt.Prompt {
	p := textOf(4000)
	copy(p.Text, "prompt "+strconv.Itoa(n)+" ")
	return p
}

func cachedOf(tokens int) Outcome {
	return Outcome{Usage: true, PromptTokens: 1000, CachedTokens: tokens}
}

// One response that found a belief wrong takes back no more than that belief and as much of what is older; a second one
// some time later, with nothing to refute it, takes back all.
func TestOneResponseProvesItsOwnBlocks(t *testing.T) {
	p, now := believing(640)
	before := p.Index.Held(0)
	for n := range 3 {
		p.End(send(p, 0, numbered(600+n), now), now, cachedOf(0))
	}
	if got := p.Index.Held(0); got < before-3*5000 {
		t.Errorf("three wrong beliefs of 4,000 bytes each took %d of %d bytes", before-got, before)
	}
	now += 5 * second
	p.End(send(p, 0, numbered(500), now), now, cachedOf(992)) // refutes them: it is older
	now += 6 * second
	p.End(send(p, 0, numbered(620), now), now, cachedOf(0))
	if got := p.Index.Held(0); got < before-4*5000 {
		t.Errorf("a fourth, after a refutation, and %d of %d bytes are gone", before-got, before)
	}
	now += 11 * second
	p.End(send(p, 0, numbered(610), now), now, cachedOf(0))
	if got := p.Index.Held(0); got > before/4 {
		t.Errorf("two of them eleven seconds apart, and %d of %d bytes are still believed", got, before)
	}
}

// A response whose usage says nothing of the cache, as with prompt_logprobs, changes no belief.
func TestAtypicalTeachesNothing(t *testing.T) {
	p, now := believing(100)
	before, ratio := p.Index.Held(0), p.tokens.Overall()
	for n := range 30 {
		odd := numbered(n)
		odd.Atypical = true
		p.End(send(p, 0, odd, now), now, Outcome{Usage: true, PromptTokens: 10})
		now += 10 * second
	}
	if got := p.Index.Held(0); got != before || p.tokens.Overall() != ratio || p.Company() != 0 {
		t.Errorf("%d bytes held, %v a token, %v foreign; before %d, %v, 0", got, p.tokens.Overall(), p.Company(), before, ratio)
	}
}

// The share of cached tokens of a prompt with an image is not that of its bytes; only that nothing was cached is clear.
func TestMediaProveLittle(t *testing.T) {
	p, now := believing(100)
	before := p.Index.Held(0)
	for n := range 30 {
		image := numbered(n)
		image.Media = true
		p.End(send(p, 0, image, now), now, cachedOf(100))
		now += 10 * second
	}
	if got := p.Index.Held(0); got != before {
		t.Errorf("%d bytes held, before %d", got, before)
	}
}
