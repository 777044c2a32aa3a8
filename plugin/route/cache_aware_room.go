package route

import "warmroute/plugin/recent"

// How much memory? To leave some free costs: fewer responses run at a time, and a card answers more of them in a second the more it
// runs. It gains what is not computed again, of what was used so short ago that it would still be there. So of the memory that counts as
// full as large a part is left free as endpoints lose of their time by that (traffic.Lost). What was used longer ago no free
// memory would have kept, and where little is lost hardly any is left free, however full the memory is.
//
// From some share on a loss feeds itself: what is computed again evicts what others come back for, and that lasts long after the load that
// began it. So from there on much more is left free, until that is over. It takes memory for several prompts: of a few each is so large a
// part that what is left free keeps hardly one.
//
// Memory alone is not room. Where an endpoint has prompts to compute for a while, one more only waits there, and evicts what others come
// back for sooner than need be. So each goes once hardly anything is to be computed before it.

// How much memory is left free. All are judged (docs/rule.md).
const (
	// leastRoomy is the share of its memory that an endpoint fills even so. With less fewer responses run than a card answers well, and what was
	// lost before memory was left free is computed again in any case.
	leastRoomy = 0.6

	// calmBelow is the share of live memory with which endpoints are hardly busy, and nothing waits for memory.
	calmBelow = 0.35

	// thrashing is the share of endpoints' time lost from which a loss feeds itself; steep is how much more is left free for each share
	// beyond it, and several the prompts of mean length that an endpoint's memory holds where that helps.
	thrashing = 0.2
	steep     = 4
	several   = 8

	// longestKeeping bounds the time for which that would hold what is used, in seconds.
	longestKeeping = 3600
)

// keeping is for how long, in ns, what is used would stay in the memory of endpoints that are hardly busy: until as many tokens have come as they
// have free, beside the time that a request itself uses it.
func (v *view) keeping() int64 {
	s := &v.shares
	if s.told == 0 {
		return 0
	}
	given := v.sum
	if v.group != 0 {
		given = 0
		for i, tokens := range v.given[:len(v.all)] {
			if v.servers.Has(i) { // classes are as the last decision left them
				given += tokens
			}
		}
	}
	perSecond := given / (recent.Span / 1e9) / float64(max(s.size, 1))
	seconds := (1-calmBelow)*s.room/float64(s.told)/max(perSecond, 1) + v.pool.Stays.Mean()
	return int64(min(seconds, longestKeeping) * 1e9)
}

// lostShare is the share of the time of the endpoints that bear the load which they lose by computing again, 0 to 1.
func (v *view) lostShare() float64 {
	servers := &v.servers
	if v.group == 0 {
		servers = nil
	}
	return min(v.pool.Lost.Time(servers, v.now)/float64(max(v.shares.size, 1)), 1)
}

// roomy is the share of its memory up to which an endpoint takes new prompts that are held.
func (v *view) roomy() float64 { return v.roomyAt(v.lostShare()) }

// roomyAt is roomy where so much of the endpoints' time is lost.
func (v *view) roomyAt(lost float64) float64 {
	if v.fewFit(lost) {
		return full
	}
	free := lost
	if lost > thrashing && v.pool.Stays.MeanTokens() > 0 && !v.few() {
		free += steep * (lost - thrashing)
	}
	return max(full*(1-free), leastRoomy)
}

// few says whether an endpoint's memory has room for few prompts of mean length.
func (v *view) few() bool {
	s := &v.shares
	return s.room < several*float64(s.told)*v.pool.Stays.MeanTokens()
}

// fewFit says whether an endpoint's memory has room for so few prompts of mean length that what is left free keeps hardly one, and no loss feeds
// itself: then one prompt fewer under way costs more than is lost. Memory counts as full as elsewhere; but rooms takes what fits into all of it.
func (v *view) fewFit(lost float64) bool { return lost <= thrashing && v.few() }

// roomForHeld is the share of its memory up to which an endpoint takes a prompt that is held; above 1: so much more waits there for memory.
//
// Where few fit, and what comes back is hardly found (returning), little is gained by what is left free, and much is lost by what does not run
// meanwhile: a prompt of half the memory waits until all others are done, and no small one may come in between. So there as much as one prompt
// of mean length may wait at the endpoint, too, for the moment at which there is memory for it; less where much is lost.
func (v *view) roomForHeld() float64 {
	lost := v.lostShare()
	part := v.roomyAt(lost)
	if v.fewFit(lost) {
		part = 1
	}
	if v.few() && !v.returning() {
		one := float64(v.shares.told) * v.pool.Stays.MeanTokens() / v.shares.room
		part = max(part, (1+one)*(1-lost))
	}
	return part
}

// delay is how long a prompt of mean length that is new would wait at an endpoint, for those before it or for memory, in seconds: the
// mean of those that bear the load.
func (v *view) delay() float64 {
	typical, standing, sum := v.pool.Stays.MeanTokens(), v.pool.Standing(), 0.0
	for i := range v.all {
		if v.class[i] != v.best {
			continue
		}
		t := &v.all[i]
		wait := v.pool.PerToken(i) * t.Queue
		if t.Queue > 0 {
			wait += standing
		}
		if short := short(t, typical) + typical; t.Room > 0 && short > 0 {
			wait = max(wait, v.freeIn(i, short))
		}
		sum += wait
	}
	return sum / float64(max(v.shares.size, 1))
}

// rooms counts the endpoints that have memory to spare for so many tokens more, and hardly a queue, or nothing else to do; up to most. A
// prompt of mean length is hardly one: when it is done sooner than expected, another must be there.
func (v *view) rooms(tokens float64, most int) (rooms int) {
	part, one := v.roomForHeld(), v.pool.MeanUncached()
	for i := range v.all {
		t := &v.all[i]
		if v.class[i] == v.best && (t.Requests < 1 || fits(t, tokens, part) && (t.Queue < one || v.pool.PerToken(i)*t.Queue < queued)) {
			if rooms++; rooms == most {
				break
			}
		}
	}
	return rooms
}
