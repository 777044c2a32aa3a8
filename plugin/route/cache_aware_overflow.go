package route

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/others"
	"warmroute/plugin/pool"
)

const (
	// overfull is the share of the pool's KV memory from which far more is live than fits. Within the bound of load, 1.25 × the mean, one of two
	// endpoints can be as empty as .75 × the mean, and keep its prefixes while that fits: up to 4 ÷ 3.
	overfull = 4. / 3

	// half is the share of its memory up to which an endpoint takes new prompts in an overfull pool: as much again is for what
	// its conversations leave behind between two turns.
	half = 0.5

	// comeback is the share of tokens from which caches are worth keeping where memory is short: with a quarter found, an overfull
	// pool does a third more than without, as much as it has too much to do.
	comeback = 0.25

	// retained is the share of what comes back that caches still hold from which they are worth keeping where memory is short. Where
	// they lose more even so, there is nothing to protect, and work is only put off. Measured (docs/rule.md): where it pays it is mostly
	// .66 and more, where it costs .59 and less.
	retained = 0.6
)

// holders is the most blocks of the prompt that an endpoint of the best class holds, and what another one holds at most.
func (v *view) holders() (most, second int32) {
	if v.alike {
		levels := v.pool.Levels()
		k := len(levels) - 1
		switch {
		case k < 0:
			return 0, 0
		case levels[k].Holders > 1:
			return levels[k].Blocks, levels[k].Blocks
		case k == 0:
			return levels[0].Blocks, 0
		}
		return levels[k].Blocks, levels[k-1].Blocks
	}
	for i, depth := range v.depth {
		switch {
		case depth <= second || v.class[i] != v.best:
		case depth > most:
			most, second = depth, most
		default:
			second = depth
		}
	}
	return most, second
}

// overfull says whether far more is live than fits into the memory of the endpoints that bear the load, and conversations come
// back, and find what they left so far. Then each of them is evicted before its next turn, each turn is computed anew, and the
// answers, which wait for these long steps, hold memory longer still: the state feeds itself, and lasts after the load that made it is gone.
func (v *view) overfull(now int64) bool {
	// At the first decision nobody knows since when; and the clock may be set back.
	if !v.hold.on && v.shares.live <= full*v.shares.room || v.hold.short == 0 || v.hold.short > now {
		v.hold.short = now
	}
	return v.shares.room > 0 && v.shares.live >= overfull*v.shares.room && v.returning()
}

// keepsTogether says whether a prompt, of which no endpoint holds more than most blocks, is one that keepTogether decides. Where other
// gateways share nothing with this one, a prompt of which no more than a shared beginning is known here is hardly new: they have sent it,
// or what begins so, to its home, where all gateways meet (preferHome). What they hold there would be computed again, and a gateway that makes others' prompts wait does not see why memory stays full.
func (v *view) keepsTogether(most int32, now int64) bool {
	overfull := v.overfull(now) // first: it notes since when
	return (overfull || v.hold.on && v.returning()) && (int(most) > v.pool.Shared() || v.pool.Company() < others.Accompanied)
}

// returning says whether caches are worth keeping where memory is short: conversations come back, and mostly find what they left.
func (v *view) returning() bool {
	return v.pool.Returns.Share() >= comeback && v.pool.Returns.Kept() >= retained
}

// keepTogether makes an overfull pool keep what does not fit at one endpoint, so that the others work with what fits and find
// it in their caches. A conversation that one endpoint alone holds goes by cost. Of the endpoints that hold most of any other
// prompt, those with memory to spare are left for the choice by cost; where none has any, the fullest costs least: one more
// there delays the fewest of those that could be quick. But of the few that hold half of a prompt the fullest may be a slow one, and others have
// room: such a prompt goes by cost then.
//
// What waits there is computed by that endpoint alone, while the others have nothing to do once the load has gone. So none gets
// more than it can compute until then: an endpoint where a prompt would wait longer than memory has been short is passed over for
// the next one. Of what has lasted for a time, and nobody knows how long it will last, as much is still to come in the median (Gott,
// "Implications of the Copernican principle for our future prospects", Nature 363, 1993).
func (v *view) keepTogether(most, second int32, d *decision.Decision, now int64) {
	if most > second || v.shares.size < 2 {
		return
	}
	upTo := half
	if v.hold.on {
		upTo = v.roomy()
	}
	tokens, lasted, fullest, spare := d.Uncached(int(most)), float64(now-v.hold.short)/1e9, -1.0, false
	for i := range v.all {
		if t := &v.all[i]; v.class[i] == v.best && v.depth[i] == most {
			spare = spare || roomFor(t, tokens, upTo)
			if v.wait(i, d, now) <= lasted {
				fullest = max(fullest, live(t))
			}
		}
	}
	if !spare && tokens < mostNew*d.Tokens {
		return
	}
	for i := range v.all {
		t := &v.all[i]
		switch {
		case v.class[i] != v.best:
		case v.depth[i] < most || spare && !roomFor(t, tokens, upTo):
			v.class[i], v.alike = max(over, v.class[i]), false
		case spare || fullest < 0:
		case v.wait(i, d, now) > lasted:
			v.class[i], v.alike = max(over, v.class[i]), false
		default:
			v.cost[i] = fullest - live(t)
		}
	}
}

// wait is how long a prompt waits at endpoint i, for those before it or for memory, in seconds.
func (v *view) wait(i int, d *decision.Decision, now int64) float64 {
	return v.pool.PerToken(i) * max(v.all[i].Queue, v.memoryWait(i, max(d.Tokens, 1), v.pool.Usual(), v.pool.Stays.MeanTokens(), d, now))
}

// live is the KV tokens that an endpoint's requests use, or will.
func live(t *pool.Summary) float64 { return t.Used + t.Queue }

// fits says whether with so many tokens more no more than that part of an endpoint's memory would be live.
func fits(t *pool.Summary, tokens, part float64) bool { return live(t)+tokens <= part*t.Room }

// roomFor says whether so many tokens fit, or the endpoint has nothing else to do.
func roomFor(t *pool.Summary, tokens, part float64) bool {
	return t.Requests < 1 || fits(t, tokens, part)
}
