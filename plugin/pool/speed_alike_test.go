package pool

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
)

// beginAlike sends n requests to endpoint i, a second apart, that begin with the same 2,000 tokens, and go on with up to some 2,000 of their own. Responses do
// not tell their cached tokens. Each token that is not cached takes perToken seconds, where lost all do.
func beginAlike(p *Pool, random *rand.Rand, i, n int, perToken float64, lost bool, now int64) int64 {
	for range n {
		of := textOf(4 * (2100 + int(random.ExpFloat64()*500)))
		for at := 8000; at+8 <= len(of.Text); at += 256 {
			binary.LittleEndian.PutUint64(of.Text[at:], random.Uint64())
		}
		f := send(p, i, of, now)
		computed := f.uncached
		if lost {
			computed = f.Tokens
		}
		end := now + int64(computed*perToken*1e9)
		p.FirstToken(f, end)
		p.End(f, end+second/10, Outcome{Ending: health.Answered, PromptTokens: f.bytes / 4})
		p.speeds.Compare(end + second/10)
		now += second
	}
	return now
}

// Of two cards that are six times apart both are known although no response tells its cached tokens, and no prompt is new: all begin alike.
func TestPromptsThatBeginAlikeTellSpeeds(t *testing.T) {
	p, random, now := newPool(2), rand.New(rand.NewPCG(1, 1)), int64(second)
	for range 100 {
		now = beginAlike(p, random, 0, 1, 50e-6, false, now)
		now = beginAlike(p, random, 1, 1, 300e-6, false, now)
	}
	sixApart(t, "prompts that begin alike", p, now)
}

// What an endpoint was sent long ago, for as long as it remembers at all, may be gone: one that computes it again is not slow.
func TestWhatMayBeEvictedTellsNoSpeed(t *testing.T) {
	p, random, now := newPool(1), rand.New(rand.NewPCG(1, 1)), int64(second)
	now = beginAlike(p, random, 0, 50, 50e-6, false, now)
	for range 50 {
		p.EmptyCache(0, now) // what is held is as old as the prompt that was last
		now = beginAlike(p, random, 0, 1, 50e-6, false, now)
		now = beginAlike(p, random, 0, 1, 50e-6, true, now)
	}
	if each, beside := p.PerToken(0), p.Overhead(0); math.Abs(each/50e-6-1) > 0.1 || beside > 0.01 {
		t.Errorf("%v s a token, and %v beside it, want 50e-6 and none", each, beside)
	}
}

// An endpoint that holds one conversation alone, and has room for more, has all of it, however long its client thinks.
func TestOneConversationTellsItsSpeed(t *testing.T) {
	p, now := newPool(1), int64(second)
	p.SetCache(0, 100_000)
	for tokens := 2000; tokens < 40_000; tokens += 200 {
		f := send(p, 0, textOf(4*tokens), now)
		now += int64(f.uncached * 300e-6 * 1e9)
		p.FirstToken(f, now)
		p.End(f, now+second/10, Outcome{Ending: health.Answered, PromptTokens: tokens})
		p.speeds.Compare(now)
		now += 10 * second
	}
	if got := p.PerToken(0); !p.speeds.Knows(0) || got < 250e-6 || got > 350e-6 {
		t.Errorf("%v s a token, known %v; want 300e-6", got, p.speeds.Knows(0))
	}
}

// What was sent from here before the first page of metrics was read is not the server's past.
func TestOwnPromptsAreNoPast(t *testing.T) {
	p, now := newPool(1), int64(second)
	long := send(p, 0, textOf(4*90_000), now)
	p.ApplyMetrics(0, now, &exposition.Load{Has: exposition.HasKVTokens | exposition.HasCacheQueries, KVTokens: 100_000, CacheQueries: 90_000})
	now += 27 * second // 300 µs a token
	p.FirstToken(long, now)
	p.End(long, now+second, Outcome{Ending: health.Answered, PromptTokens: 90_000})
	streams(p, rand.New(rand.NewPCG(1, 1)), 0, 20, 300e-6, true, func(tokens int) Outcome { return Outcome{PromptTokens: tokens} }, now+2*second)
	if got := p.PerToken(0); got < 150e-6 {
		t.Errorf("%v s a token, want 300e-6", got)
	}
}
