package traffic

import (
	"math"

	"warmroute/plugin/recent"
)

// Demand counts how often prompts come that share a beginning: of each prompt, those beginnings that endpoints hold. Beginnings
// that come often stay; of 1,024 all others are replaced, the rarest first.
type Demand struct {
	sets *[256][4]beginning // by the last bits of the hash; nil: none has been counted
	all  beginning          // all prompts
}

// beginning is one counted beginning of prompts. Each prompt weighs e^(−age ÷ recent.Span), or e^(−age ÷ burstSpan).
type beginning struct {
	hash         uint64
	count, burst float64
	tokens       float64 // of those prompts, weighing like count
	at           int64

	waiting     int32   // prompts that begin so and wait for their first tokens
	met, metNow float64 // as count and burst: prompts that came while another waited
}

// burstSpan is for how long prompts that begin alike are taken to meet, in ns: about as long as answers take, and queues last.
const burstSpan = 10e9

func (b *beginning) faded(now int64) float64 { return b.count * recent.Since(b.at, now, recent.Span) }

func (b *beginning) add(tokens float64, now int64) {
	faded, lately, met := recent.Since(b.at, now, recent.Span), recent.Since(b.at, now, burstSpan), 0.0
	if b.waiting > 0 {
		met = 1
	}
	b.count, b.tokens = float64(b.count*faded)+1, float64(b.tokens*faded)+tokens
	b.burst, b.at = float64(b.burst*lately)+1, now
	b.met, b.metNow = float64(b.met*faded)+met, float64(b.metNow*lately)+met
}

// sure is a count less one standard error, as of a Poisson process: few say little.
func sure(count float64) float64 { return max(count-math.Sqrt(count), 0) }

// Add counts a prompt of so many tokens with such a beginning, by its hash.
func (d *Demand) Add(hash uint64, tokens float64, now int64) {
	if d.sets == nil {
		d.sets = new([256][4]beginning)
	}
	set := &d.sets[hash%uint64(len(d.sets))]
	rarest, least := 0, 0.
	for i := range set {
		if set[i].hash == hash {
			set[i].add(tokens, now)
			return
		}
		if count := set[i].faded(now); i == 0 || count < least {
			rarest, least = i, count
		}
	}
	set[rarest] = beginning{hash: hash, count: 1, burst: 1, tokens: tokens, at: now}
}

// Waits counts one more prompt that begins so and waits for its first token, or −1 that does so no longer.
func (d *Demand) Waits(hash uint64, more int32) {
	if b := d.find(hash); b != nil {
		b.waiting = max(b.waiting+more, 0) // another may have had the place meanwhile
	}
}

// Of is the part of recent prompts that begin so, 0 to 1, and how many do in burstSpan, each less one standard error. met: only of those that came while
// another one that begins so waited for its first token.
func (d *Demand) Of(hash uint64, met bool, now int64) (share, lately float64) {
	b := d.find(hash)
	if b == nil {
		return 0, 0
	}
	count, burst := b.count, b.burst
	if met {
		count, burst = b.met, b.metNow
	}
	return min(sure(count*recent.Since(b.at, now, recent.Span))/max(d.all.faded(now), 1), 1), sure(burst * recent.Since(b.at, now, burstSpan))
}

// Mean is the part of recent prompts that begin so, 0 to 1, and their mean tokens; 0, 0: none is counted.
func (d *Demand) Mean(hash uint64, now int64) (share, tokens float64) {
	if b := d.find(hash); b != nil {
		return min(b.faded(now)/max(d.all.faded(now), 1), 1), b.tokens / b.count
	}
	return 0, 0
}

// find is the beginning with that hash; nil: it is not counted.
func (d *Demand) find(hash uint64) *beginning {
	if d.sets == nil {
		return nil
	}
	set := &d.sets[hash%uint64(len(d.sets))]
	for i := range set {
		if set[i].hash == hash {
			return &set[i]
		}
	}
	return nil
}

// AddPrompt counts a prompt, whatever it begins with.
func (d *Demand) AddPrompt(now int64) { d.all.add(0, now) }
