package route

import (
	"math"

	"warmroute/plugin/config"
)

// most is the number of requests that endpoint i may have, this one included: factor × its fair share of all, rounded up
// (Mirrokni, Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018), plus margin. The paper's bound
// alone would refuse the home of a prompt in a nearly idle pool as soon as there is one other request.
//
// Without a bound, a policy by match can send all requests that share a hot prompt with long answers to one endpoint: to
// compute them costs nothing there. Figures: docs/notes.md, "Bounds of load".
func (v *view) most(i int, b config.Bound) float64 { return bound(v.all[i].Weight, &v.shares, b) }

func bound(weight float64, s *share, b config.Bound) float64 {
	return math.Ceil(b.LoadFactor*(s.requests+1)*(weight/s.weight)) + float64(b.LoadMargin)
}

// relieve puts endpoints that are at the bound into the class over, after all others that are well. At least one endpoint is
// below the bound, because the bounds add up to more than the requests.
//
// An endpoint that other clients alone fill (by its metrics) is left out of the mean: our decisions cannot move those
// requests, and counting them would lift the bound of all others.
func (v *view) relieve(b config.Bound) {
	if v.best != well || v.shares.most < bound(v.shares.light, &v.shares, b) {
		return // all are below the lowest bound
	}
	for again := true; again; {
		again = false
		for i := range v.all {
			t := &v.all[i]
			if others := t.Requests - t.Counted; others > 0 && v.class[i] == well && others >= v.most(i, b) {
				v.class[i], v.alike, again = over, false, true
				v.shares.size, v.shares.weight = v.shares.size-1, v.shares.weight-t.Weight
				v.shares.requests -= t.Requests
			}
		}
	}
	weight, most := 0.0, 0.0 // of the last endpoint
	for i := range v.all {
		t := &v.all[i]
		if t.Weight != weight {
			weight, most = t.Weight, v.most(i, b)
		}
		if t.Requests >= most && v.class[i] == well {
			v.class[i], v.alike = over, false
		}
	}
}

// relieveInZone is relieve for policies that know what crossing zones costs. The bound of an endpoint in the proxy's zone is a
// multiple of its share of the requests there, so that the bound alone sends nothing to other zones.
func (v *view) relieveInZone(b config.Bound) {
	if !v.zoned || !v.pool.CrossingCosts() {
		v.relieve(b)
		return
	}
	all, near := v.shares, share{}
	for i := range v.all {
		if v.class[i] == well && !v.pool.Away(i) {
			near.add(&v.all[i])
		}
	}
	for i := range v.all {
		if v.shares = all; !v.pool.Away(i) {
			v.shares = near
		}
		if v.class[i] == well && v.all[i].Requests >= v.most(i, b) {
			v.class[i], v.alike = over, false
		}
	}
	v.shares = all
}
