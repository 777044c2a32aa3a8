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
	at           int64
}

// burstSpan is for how long prompts that begin alike are taken to meet, in ns: about as long as answers take, and queues last.
const burstSpan = 10e9

func (b *beginning) faded(now int64) float64 { return b.count * recent.Since(b.at, now, recent.Span) }

func (b *beginning) lately(now int64) float64 { return b.burst * recent.Since(b.at, now, burstSpan) }

func (b *beginning) add(now int64) { b.count, b.burst, b.at = b.faded(now)+1, b.lately(now)+1, now }

// sure is a count less one standard error, as of a Poisson process: few say little.
func sure(count float64) float64 { return max(count-math.Sqrt(count), 0) }

// Add counts a prompt with such a beginning, by its hash.
func (d *Demand) Add(hash uint64, now int64) {
	if d.sets == nil {
		d.sets = new([256][4]beginning)
	}
	set := &d.sets[hash%uint64(len(d.sets))]
	rarest, least := 0, 0.
	for i := range set {
		if set[i].hash == hash {
			set[i].add(now)
			return
		}
		if count := set[i].faded(now); i == 0 || count < least {
			rarest, least = i, count
		}
	}
	set[rarest] = beginning{hash, 1, 1, now}
}

// Of is the part of recent prompts that begin so, 0 to 1, and how many do in burstSpan, each less one standard error.
func (d *Demand) Of(hash uint64, now int64) (share, lately float64) {
	if d.sets == nil {
		return 0, 0
	}
	set := &d.sets[hash%uint64(len(d.sets))]
	for i := range set {
		if b := &set[i]; b.hash == hash {
			return min(sure(b.faded(now))/max(d.all.faded(now), 1), 1), sure(b.lately(now))
		}
	}
	return 0, 0
}

// AddPrompt counts a prompt, whatever it begins with.
func (d *Demand) AddPrompt(now int64) { d.all.add(now) }
