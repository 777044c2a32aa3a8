package pool

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
)

// streams sends n requests to endpoint i, one after the other, whose prompts begin with a text that is new or with the first one's, and whose
// responses say no more of usage than told. The first token of a new one takes perToken seconds for each of its prompt, that of another one none.
func streams(p *Pool, random *rand.Rand, i, n int, perToken float64, isNew bool, told func(tokens int) Outcome, now int64) int64 {
	for range n {
		of := textOf(4 * (100 + int(random.ExpFloat64()*2000)))
		if isNew {
			random := rand.NewChaCha8([32]byte{byte(i), byte(now), byte(now >> 8), byte(now >> 16), byte(now >> 24), byte(now >> 32), byte(now >> 40)})
			random.Read(of.Text[:8])
		}
		f := send(p, i, of, now)
		if took := now + 1e6; isNew {
			now += int64(float64(f.bytes/4) * perToken * 1e9)
		} else {
			now = took
		}
		p.FirstToken(f, now)
		o := told(f.bytes / 4)
		o.Ending = health.Answered
		p.End(f, now+second/10, o)
		p.speeds.Compare(now)
		now += second
	}
	return now
}

// Of two cards that are six times apart both are known by responses that do not tell their cached tokens, or have no usage at all: from prompts of
// which nothing was sent before. What is cached, for all that is known, changes nothing.
func TestResponsesWithoutUsageTellSpeeds(t *testing.T) {
	for what, told := range map[string]func(tokens int) Outcome{
		"no cached tokens": func(tokens int) Outcome { return Outcome{PromptTokens: tokens} },
		"no usage":         func(int) Outcome { return Outcome{} },
	} {
		p, random := newPool(2), rand.New(rand.NewPCG(1, 1))
		for now := int64(second); now < 600*second; {
			for i, perToken := range []float64{50e-6, 300e-6} {
				now = streams(p, random, i, 1, perToken, true, told, now)
				now = streams(p, random, i, 1, perToken, false, told, now)
			}
		}
		sixApart(t, what, p, 600*second)
	}
}

// A server that answers streams at once, with an error in them and no usage, is not taken for fast.
func TestErrorsInStreamsAreNoSpeed(t *testing.T) {
	p, random := newPool(2), rand.New(rand.NewPCG(1, 1))
	none := func(int) Outcome { return Outcome{} }
	now := streams(p, random, 0, 100, 50e-6, true, none, second)
	before := p.PerToken(0)
	for range 100 {
		now = streams(p, random, 0, 1, 0, true, none, now)
	}
	if got := p.PerToken(0); got < before*0.9 {
		t.Errorf("%v s a token after a hundred errors, before %v", got, before)
	}
}

// A proxy that starts before a server that has been there for long: prompts that are new to it are cached, and teach nothing until as much was looked
// up as the server's memory holds.
func TestWarmServersTeachLater(t *testing.T) {
	p, random := newPool(1), rand.New(rand.NewPCG(1, 1))
	page := func(queries float64, now int64) {
		p.ApplyMetrics(0, now, &exposition.Load{Has: exposition.HasKVTokens | exposition.HasCacheQueries, KVTokens: 100_000, CacheQueries: queries})
	}
	told := func(tokens int) Outcome { return Outcome{PromptTokens: tokens} }
	page(5e6, second)
	usual := p.PerToken(0)
	now := streams(p, random, 0, 100, 1e-6, true, told, 2*second)
	if got := p.PerToken(0); got != usual {
		t.Errorf("%v s a token by cached prompts, before %v", got, usual)
	}
	page(5.2e6, now)
	streams(p, random, 0, 100, 300e-6, true, told, now)
	if got := p.PerToken(0); got < 150e-6 {
		t.Errorf("%v s a token later, want 300e-6", got)
	}
}

// What a server's own memory has lost of its past its tier may still have: prompts that are new to this proxy teach nothing until as much was
// looked up as that holds, or many times the memory where nobody says how much.
func TestTiersTeachLater(t *testing.T) {
	for _, c := range []struct{ tier, least float64 }{{400_000, 400_000}, {0, 1_600_000}} {
		p, random := newPool(1), rand.New(rand.NewPCG(1, 1))
		told := func(tokens int) Outcome { return Outcome{PromptTokens: tokens} }
		p.ApplyMetrics(0, second, tiered(100_000, c.tier, part{0, 5e6}))
		usual := p.PerToken(0)
		p.ApplyMetrics(0, 2*second, tiered(100_000, c.tier, part{0, 5e6 + c.least - 1}))
		now := streams(p, random, 0, 100, 1e-6, true, told, 3*second)
		if got := p.PerToken(0); got != usual {
			t.Errorf("tier of %v tokens: %v s a token by prompts that it may hold, before %v", c.tier, got, usual)
		}
		p.ApplyMetrics(0, now, tiered(100_000, c.tier, part{0, 5e6 + c.least}))
		streams(p, random, 0, 100, 300e-6, true, told, now)
		if got := p.PerToken(0); got < 150e-6 {
			t.Errorf("tier of %v tokens: %v s a token later, want 300e-6", c.tier, got)
		}
	}
}

// Tenants, or clients that salt their prompts, begin with the same 10,000 tokens. A server that knows nothing of tenants and salts has those cached,
// and each prompt is new here.
func TestPromptsKeptApartHereAloneTeachNoSpeed(t *testing.T) {
	for what, tenants := range map[string]bool{"tenants": true, "salts": false} {
		p := newPool(4)
		for n := range 800 {
			now, name := int64(n+1)*second, []byte(fmt.Sprint("client ", n))
			of, tenant := textOf(4*10_200), name
			copy(of.Text[40_000:], name)
			if !tenants {
				tenant, of.Salt = nil, name
			}
			f := new(Flight)
			p.Prepare(f, of, tenant, 0)
			p.Match(f)
			p.Expect(f, n%4)
			p.Begin(f, n%4, now)
			now += second / 25 // 200 tokens at 100 µs, and 20 ms
			p.FirstToken(f, now)
			p.End(f, now, Outcome{Ending: health.Answered, PromptTokens: 10_200})
			p.speeds.Compare(now)
		}
		if got := p.Usual(); got < 50e-6 {
			t.Errorf("%s: %v s a token, and it takes 1e-4", what, got)
		}
	}
}
