package route

import (
	"math"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/others"
	"warmroute/plugin/pool"
)

// crowded is what each request above the bound costs, in prompt tokens: what it makes responses slower. A response of 200 tokens
// takes 200 steps, each as much longer as four tokens take for each response beside it (one is computed, and the KV of 2,000 is read),
// and makes each of those as much slower until one of the two ends. These are stalls, and count as stalled of a late first token:
// together some 100 tokens for each request that an endpoint has more than another. As the bound lies above the mean, it is taken 2.5
// times.
const crowded = 256

// most is the number of requests that endpoint i may have, this one included: factor × its fair share of all, rounded up
// (Mirrokni, Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018), plus margin. The paper's bound
// alone would refuse the home of a prompt in a nearly idle pool as soon as there is one other request.
//
// Without a bound, a policy by match can send all requests that share a hot prompt with long answers to one endpoint: to
// compute them costs nothing there (docs/notes.md, "Bounds of load").
func (v *view) most(i int, b config.Bound) float64 { return bound(v.part(&v.all[i]), &v.shares, b) }

func bound(part float64, s *share, b config.Bound) float64 {
	return math.Ceil(b.LoadFactor*(s.requests+1)*(part/s.parts)) + float64(b.LoadMargin)
}

// trusted is how many times as fast or as slow as the mean an endpoint may count for its bound: one that only seems fast, because its first
// tokens come before it has computed anything, is not to get most of the requests.
const trusted = 4

// part is what an endpoint's fair share of the requests is in proportion to: its weight; and of endpoints of different speed, in relieveBySpeed,
// a slow one's is smaller by the root of the times that it takes. By Little's law requests are there in proportion to how many come, which is to
// its speed, and to how long each stays: as much longer as it is slower where few wait, so that weights alone would be right, and equally long
// where many do. The root is midway. One with less memory is due fewer, by the root of it, too (judged). Where memory is short, it decides how many
// requests an endpoint can have, and not how fast that is: then its part is in proportion to it.
func (v *view) part(t *pool.Summary) float64 {
	switch {
	case v.tight:
		return t.Weight * t.Memory
	case v.pace == 0:
		return t.Weight
	}
	return t.Weight * math.Sqrt(v.memory(t)) / math.Sqrt(min(max(t.Slower/v.pace, 1./trusted), trusted))
}

// memory is an endpoint's KV memory × the mean of all, where the policy goes by that; else 1.
func (v *view) memory(t *pool.Summary) float64 {
	if v.places == nil {
		return 1
	}
	return t.Memory
}

// relieve puts endpoints that are at the bound into the class over, after all others that are well. At least one endpoint is
// below the bound, because the bounds add up to more than the requests.
//
// An endpoint that other clients alone fill (by its metrics) is left out of the mean: our decisions cannot move those
// requests, and counting them would lift the bound of all others.
func (v *view) relieve(b config.Bound) {
	if v.best != well || v.pace == 0 && !v.tight && v.shares.most < bound(v.shares.light, &v.shares, b) {
		return // all are below the lowest bound
	}
	for again := true; again; {
		again = false
		for i := range v.all {
			t := &v.all[i]
			if others := t.Requests - t.Counted; others > 0 && v.class[i] == well && others >= v.most(i, b) {
				v.refuse(i, v.most(i, b))
				again = true
				v.shares.size, v.shares.weight, v.shares.parts = v.shares.size-1, v.shares.weight-t.Weight, v.shares.parts-v.part(t)
				v.shares.requests, v.shares.capacity, v.shares.work = v.shares.requests-t.Requests, v.shares.capacity-t.Capacity, v.shares.work-t.Share
			}
		}
	}
	weight, slower, memory, most := 0.0, 0.0, 0.0, 0.0 // of the last endpoint
	for i := range v.all {
		t := &v.all[i]
		if t.Weight != weight || t.Slower != slower || t.Memory != memory {
			weight, slower, memory, most = t.Weight, t.Slower, t.Memory, v.most(i, b)
		}
		if t.Requests >= most && v.class[i] == well {
			v.refuse(i, most)
		}
	}
}

// refuse puts an endpoint that may have most requests into the class over.
func (v *view) refuse(i int, most float64) {
	v.class[i], v.alike, v.bound, v.excess[i] = over, false, true, v.all[i].Requests+1-most
	v.pool.NoteAtBound()
}

// why is the reason where an endpoint of the class over would have been the first choice.
func (v *view) why(i int) decision.Reason {
	if v.pool.Health.Barren(i) {
		return decision.Barren
	}
	return decision.Bounded
}

// excuse lets an endpoint at its bound compete for a request of which it holds more than those below their bounds do: crowded
// tokens more for each request that it then has above the bound. So a long conversation is not computed anew because its endpoint
// has one request too many. Each such request makes the endpoint cost as many tokens more.
//
// A conversation that has moved is held where it went once it has been computed there, and its next turns would wait for that. So what waits at
// another endpoint, beyond what waits here, counts as not held there; not for what many share, which all have that are full, and not beside gateways
// that share nothing, of which it is not known what waits.
func (v *view) excuse(d *decision.Decision) {
	if !v.bound {
		return
	}
	none, own := d.Uncached(0), math.MaxInt // of blocks: behind so many no other conversation has them, and what waits is known
	if v.pool.Company() < others.Accompanied {
		own = v.pool.Shared()
	}
	least, soonest := none, math.Inf(1) // to compute, and with what waits before it, below the bounds
	last, tokens := int32(0), none
	for i, depth := range v.depth {
		if v.class[i] != well || depth == 0 {
			continue
		}
		if depth != last {
			last, tokens = depth, d.Uncached(int(depth))
		}
		least, soonest = min(least, tokens), min(soonest, tokens+v.queued(i))
	}
	for i, depth := range v.depth {
		if v.class[i] != over || depth == 0 {
			continue
		}
		elsewhere := least
		if int(depth) > own {
			elsewhere = min(max(soonest-v.queued(i), least), none)
		}
		if more := crowded * v.excess[i]; d.Uncached(int(depth))+more < elsewhere {
			v.class[i], v.cost[i] = well, v.cost[i]+more
		}
	}
}

// queued is how long a prompt waits for those before it, in tokens of an endpoint of mean speed.
func (v *view) queued(i int) float64 { return v.all[i].Queue * v.all[i].Slower }

// relieveBySpeed is relieve for policies that weigh speeds, and what crossing zones costs. The bound of an endpoint in the proxy's zone is a
// multiple of its share of the requests there, so that the bound alone sends nothing to other zones.
func (v *view) relieveBySpeed(b config.Bound) {
	s, zones := &v.shares, v.zoned && v.pool.CrossingCosts()
	v.pace, v.tight = 0, false
	least := 1. // of pool.Summary.Memory
	if v.places != nil {
		least = v.pool.LeastMemory()
	}
	switch {
	case s.live > full*s.room:
		v.tight = least < 1
	case s.capacity == s.weight && least == 1:
	case zones || s.most >= bound(s.light*math.Sqrt(least)/trusted, s, b): // else all are below any bound
		v.pace = v.slower()
	}
	if v.pace > 0 || v.tight {
		s.parts = 0
		for i := range v.all {
			if t := &v.all[i]; v.class[i] <= over && t.Class == pool.Well { // those whose weights count, above their bounds or not
				s.parts += v.part(t)
			}
		}
	}
	if !zones {
		v.relieve(b)
		return
	}
	all, near := v.shares, share{}
	for i := range v.all {
		if t := &v.all[i]; v.class[i] == well && !v.pool.Away(i) {
			near.add(t, v.part(t))
		}
	}
	for i := range v.all {
		if v.shares = all; !v.pool.Away(i) {
			v.shares = near
		}
		if most := v.most(i, b); v.class[i] == well && v.all[i].Requests >= most {
			v.refuse(i, most)
		}
	}
	v.shares = all
}
