package pool

import "warmroute/plugin/prefix"

// A prompt is in use at its endpoint from when it is sent there until it has ended or is lost (prefix.Index.Use). All workers and gateways
// enter that, by the visits that flights tell.

// Visit is a step of a request at an endpoint: prefix.Index.Apply.
type Visit struct {
	Step     prefix.Step
	Chain    *prefix.Chain // nil: there is nothing to enter
	First    int           // blocks
	Sent, At int64         // ns; Sent counts if First is above 0
}

// RecordVisit records what another worker's request did at endpoint i, now or before. What was before its cache was emptied is ignored.
func (p *Pool) RecordVisit(i int, v *Visit, now int64) {
	switch {
	case !p.Present(i) || p.emptiedSince(i, v.At, now):
	case v.Step == prefix.Stored:
		p.recordStored(i, v)
	case p.Index != nil:
		p.Index.Apply(v.Step, i, v.Chain, v.First, millis(v.Sent), millis(v.At))
	}
}

// endsFor is how long ends are told after memory was short, in ns: so they are from before prompts are held until some time after.
const endsFor = 60e9

// MemoryFills says that endpoints' memory is so full that it may be short soon: what is in use matters, and which blocks were used last.
func (p *Pool) MemoryFills(now int64) { p.filled = max(now, 1) }

// TellsEnds says whether others are to know that a request has ended that has entered this. Where memory suffices, an end that tells no more
// blocks than the beginning is not worth its way through all logs.
func (p *Pool) TellsEnds(v *Visit, now int64) bool {
	return v.Step != prefix.Ended || v.First < v.Chain.Len() || p.filled != 0 && now-p.filled < endsFor
}

// KeepUsed says whether caches are taken to evict what is in use last: prefix.Index.KeepUsed.
func (p *Pool) KeepUsed(keep bool) {
	if p.Index != nil {
		p.Index.KeepUsed(keep)
	}
}

// enter enters the prompt into the index, unless its endpoint probably refuses it, or is swamped, or has left.
func (p *Pool) enter(f *Flight, now int64) {
	if p.Index != nil && !p.ExternalIndex && !f.refused && !f.deferred && p.same(f) {
		p.Index.Use(f.endpoint, &f.Chain, f.used, millis(f.inserted), millis(now))
		f.entered = Visit{prefix.Sent, &f.Chain, f.used, f.inserted, now}
		f.inserted, f.used = now, f.Chain.Len()
	}
}

// free enters that the endpoint holds the prompt, which is not in use any more; not in the cache of an endpoint that has come to that
// place since, or has left.
func (p *Pool) free(f *Flight, now int64) {
	if p.Index != nil && !p.ExternalIndex && p.same(f) {
		p.Index.Free(f.endpoint, &f.Chain, f.used, millis(f.inserted), millis(now))
		f.entered = Visit{prefix.Ended, &f.Chain, f.used, f.inserted, now}
		f.used = 0
	}
}

// lose undoes enter for what was not computed of a prompt: all but what was held before, and the first blocks that were begun.
func (p *Pool) lose(f *Flight, begun int) {
	if p.Index != nil && f.used > 0 && p.same(f) {
		f.cut = f.Chain
		f.cut.Cut(f.used)
		held := min(max(f.Matched, begun), f.used)
		p.Index.Withdraw(f.endpoint, &f.cut, held, millis(f.inserted))
		f.lost = Visit{prefix.Lost, &f.cut, held, 0, f.inserted}
		f.used = 0
	}
}

// Entered is what Begin, Extend, Moved or End has entered into the index, for others to enter at Endpoint. It is told once.
func (f *Flight) Entered() (v Visit) {
	v, f.entered = f.entered, Visit{}
	return v
}

// Lost is what Moved or End has taken back, likewise, where the request was before.
func (f *Flight) Lost() (v Visit) {
	v, f.lost = f.lost, Visit{}
	return v
}
