package pool

import (
	"warmroute/plugin/recent"
	"warmroute/plugin/traffic"
)

// A prompt needs KV memory for all of its tokens before it is computed, also for those found in the cache. Where less is free, it
// waits until requests that run there have ended, however little is queued. A request holds its memory for T seconds: while its
// prompt is computed, and until its response ends. So, by Little's law, a full memory of R tokens frees R ÷ T tokens a second, and
// a shortage of S tokens lasts S × T ÷ R seconds.

// memory is what is known of an endpoint's KV memory beside its metrics: of own streams, in tokens. (Of another response nothing
// shows when its prompt is computed.)
type memory struct {
	found     float64 // of prompts that wait, what is in the cache; the rest of them is in the queue
	held      float64 // of requests whose first token has come
	then      float64 // held when the last page of metrics was read
	residence traffic.Residence
}

// Residence is the mean time, by tokens, that a request holds KV memory at endpoint i, in seconds; 0 before one has ended.
func (p *Pool) Residence(i int) float64 { return p.Stays.Of(&p.ends[i].memory.residence) }

// learnResidence takes a response that has ended well. Where no first token shows, the prompts queued before it are taken to have
// been computed first.
func (p *Pool) learnResidence(f *Flight, now int64, o *Outcome) {
	if f.moved {
		return
	}
	perToken := p.PerToken(f.endpoint)
	own, seconds := f.uncached*perToken, 0.0
	if f.first != 0 {
		seconds = float64(now-f.first)/1e9 + own
	} else {
		seconds = float64(o.whole(now)-f.begun-f.late)/1e9 - p.aheadOf(f)*perToken
	}
	seconds, tokens := max(seconds, own), max(f.Tokens, 1)
	p.Stays.Add(&p.ends[f.endpoint].memory.residence, tokens, seconds)
}

// ToHold is the tokens of memory that a prompt needs at endpoint i, where so many of its blocks are cached: those of the others,
// and of the cached ones those that no running request holds already. That one does is the likelier, the shorter ago they were
// used: e^(−age ÷ T), if the times that requests stay are exponential.
func (p *Pool) ToHold(f *Flight, i, blocks int, now int64) float64 {
	uncached := f.Uncached(blocks)
	found := max(f.Tokens-uncached, 0)
	stays := p.Residence(i)
	if found == 0 || stays == 0 || p.Index == nil {
		return uncached + found
	}
	touched, _ := p.Index.Touched(i, f.Chain.Hash, blocks)
	age := float64(max(int32(millis(now)-touched), 0)) / 1e3
	return uncached + found*(1-recent.Weight(age/stays))
}

// Idle is the tokens of the leading blocks of a prompt, all cached at endpoint i, that no other conversation begins with (Shared) and no request uses
// which is under way: what the endpoint evicts when others want memory. 0 where it keeps elsewhere what it evicts. It follows Match.
func (p *Pool) Idle(f *Flight, i, blocks int) float64 {
	if p.Index == nil || p.ends[i].cache.tier.there {
		return 0
	}
	used := max(p.Shared(), p.Index.Used(i, f.Chain.Hash[:blocks]))
	return max(f.Uncached(used)-f.Uncached(blocks), 0)
}

// findMemory counts what the cache holds of a stream's prompt that waits.
func (p *Pool) findMemory(f *Flight) {
	f.memory = f.found
	p.ends[f.endpoint].memory.found += f.memory
}

// takeMemory counts what a stream holds whose first token has come.
func (p *Pool) takeMemory(f *Flight) {
	holds := f.memory + f.uncached
	if p.leaveMemory(f); !p.same(f) {
		return
	}
	f.memory = holds
	p.ends[f.endpoint].memory.held += holds
}

// leaveMemory undoes what findMemory or takeMemory has counted, by the request's phase, unless another endpoint has that index since.
// Below 0 it would be by rounding.
func (p *Pool) leaveMemory(f *Flight) {
	switch m := &p.ends[f.endpoint].memory; {
	case !p.same(f):
	case f.phase == waiting:
		m.found = max(m.found-f.memory, 0)
	default:
		m.held = max(m.held-f.memory, 0)
	}
	f.memory = 0
	p.touch(f.endpoint)
}

// waitsForMemory says whether the prompt, before it is queued at its endpoint, finds less memory free there than it needs and those that
// wait do: then its first token tells nothing of the endpoint's speed. It does not where metrics do not tell.
func (p *Pool) waitsForMemory(f *Flight, now int64) bool {
	i := f.endpoint
	used, all := p.UsedTokens(i, now)
	if all == 0 {
		return false
	}
	e := &p.ends[i]
	others := max(p.Unadmitted(i, now)-float64(e.queue.Streams.Waiting), 0)
	wanted := max(e.memory.found+e.queue.Streams.Queued+others*p.Stays.MeanTokens(), f.ahead)
	return used+wanted+p.ToHold(f, i, f.Matched, now) > all
}

// NoteThrash records that a request lost so many tokens at endpoint i, or, below 0, that a conversation has left for that price.
func (p *Pool) NoteThrash(i int, tokens float64, now int64) { p.ends[i].thrash.Note(tokens, now) }

// Thrash is the tokens that requests have lost at endpoint i lately, and what is sure of it.
func (p *Pool) Thrash(i int, now int64) (tokens, sure float64) { return p.ends[i].thrash.All(now) }
