package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/prompt"
)

// A cache with blocks of 1,000 tokens finds whole ones; what is not known of a prompt's length makes it a mean.
func TestWholeBlocks(t *testing.T) {
	for _, c := range []struct{ prompt, tokens, off, want float64 }{
		{1e4, 500, 0, 0},
		{1e4, 1500, 200, 1000},
		{1e4, 5000, 0, 4500},
		{1e4, 1050, 0, 1000}, // 900 of a prompt and 150 of its answer
		{1e4, 900, 0, 0},
		{1000, 1000, 0, 484}, // the last token is computed, and the tokens are an estimate
		{700, 700, 0, 0},
		{1e4, 1050, 300, 1000 * (1 - 282.8/665.6)},
		{1, 1, 0, 0},
		{0, 0, 0, 0},
	} {
		f := Flight{grain: 1000, Tokens: c.prompt}
		if got := f.wholeBlocks(c.tokens, c.off); math.Abs(got-c.want) > 1 || got > max(c.prompt, 0) {
			t.Errorf("of %v tokens ± %v of %v: %v are found, want %v", c.tokens, c.off, c.prompt, got, c.want)
		}
	}
}

// coarsePool is n endpoints whose metrics say that what they find is a multiple of so many tokens.
func coarsePool(n, tokens int) *Pool {
	p := newPool(n)
	for i := range n {
		p.ApplyMetrics(i, second, coarsePage(tokens))
	}
	return p
}

func coarsePage(tokens int) *exposition.Load {
	page := tiered(1_000_000, 0, part{})
	page.Has, page.HitTokens = exposition.HasKVTokens, float64(tokens)
	return page
}

// What is believed to be cached of a prompt that was sent before: of 1,000 tokens all but a block of 16, of 400 all, and nothing of 1,056.
func TestCachedByBlocks(t *testing.T) {
	for _, c := range []struct {
		block, bytes int
		least, most  float64
	}{{16, 4000, 900, 1000}, {64, 4000, 900, 1000}, {400, 4000, 700, 900}, {1056, 4000, 0, 1}, {1056, 8000, 900, 1500}, {7808, 20_000, 0, 1}} {
		p := coarsePool(3, c.block)
		p.End(send(p, 1, textOf(c.bytes), second), second, Outcome{})
		f := new(Flight)
		p.Prepare(f, textOf(c.bytes), nil, 0)
		if got := f.Cached(int(slices.Max(p.Match(f)))); got < c.least || got > c.most {
			t.Errorf("blocks of %d tokens: %v of %d tokens are taken to be cached, want %v to %v", c.block, got, c.bytes/4, c.least, c.most)
		}
	}
}

// What one endpoint says of its blocks is not what all have: half of them, or more, must say so. Of two the least counts.
func TestOneEndpointsBlocksAreNotAll(t *testing.T) {
	for _, c := range []struct {
		blocks []int
		want   float64
	}{
		{[]int{1056, 1056, 1056}, 1056}, {[]int{16, 1056, 1056}, 1056}, {[]int{528, 1056, 1056}, 1056}, {[]int{1056, 7808, 1056}, 1056},
		{[]int{528, 1056, 528}, 528}, {[]int{16, 16, 1056}, 0}, {[]int{16, 16, 1056, 1056}, 0}, {[]int{528, 1056}, 528}, {[]int{16, 1056}, 0},
	} {
		p := newPool(len(c.blocks) + 1) // one tells nothing
		for i, tokens := range c.blocks {
			p.ApplyMetrics(i, second, coarsePage(tokens))
		}
		if p.grain != c.want {
			t.Errorf("endpoints have blocks of %v tokens, and those of %v count, want %v", c.blocks, p.grain, c.want)
		}
	}
	p := coarsePool(3, 1056)
	p.ApplyMetrics(0, 2*second, coarsePage(528))
	if p.ApplyMetrics(1, 3*second, coarsePage(528)); p.grain != 528 {
		t.Errorf("two of three endpoints have blocks of 528 tokens, and those of %v count", p.grain)
	}
	if p.Remove(0); p.grain != 528 {
		t.Errorf("blocks of %v tokens count, want the least of 528 and 1,056", p.grain)
	}
	if p.Remove(1); p.grain != 1056 {
		t.Errorf("the endpoints with blocks of 528 tokens have left, and those of %v count", p.grain)
	}
}

// Prompts of which a cache with large blocks finds nothing, though it has lost nothing, do not make it look small: those that end before a
// block does, and those that begin like others where states are kept only where prompts ended.
func TestCoarseCachesAreNotSmall(t *testing.T) {
	beginning := func(n int) *prompt.Prompt {
		of := textOf(12_000)
		copy(of.Text[11_000:], "question "+strconv.Itoa(n)+" ")
		return of
	}
	random := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		of    func() *prompt.Prompt
		holds int64 // bytes of all that were sent, at least
	}{
		"short": {func() *prompt.Prompt { return numbered(random.IntN(100)) }, 100 * 3500},
		"alike": {func() *prompt.Prompt { return beginning(random.IntN(1 << 20)) }, 10_000 + 300*500},
	} {
		p, now := coarsePool(1, 1056), second
		for range 300 {
			of := c.of()
			p.End(send(p, 0, of, now), now, Outcome{Usage: true, PromptTokens: of.Size() / 4})
			now += 3 * second
		}
		if got := p.Index.Held(0); got < c.holds {
			t.Errorf("%s: %d bytes are believed to be held, want %d", name, got, c.holds)
		}
	}
}
