package route

import "warmroute/plugin/decision"

// What its last turns have left is found by a prompt only if it is still there once there is memory for it. Those that run take the memory first,
// and then those that wait before it, and a server evicts what is idle: what no request uses. So of such tokens no more are left than there will be
// memory for. Without that, long conversations stay at one endpoint whose memory holds not all of them: each turn waits there and is computed anew,
// while others have nothing to do.
//
// What a request uses that is under way is not evicted: a session that asks several things at a time finds all of it, however full the memory is.
// And where all have something to do, a conversation that leaves only evicts others', so that all is as it was, and more is computed: it counts only
// where an endpoint rests.

// evicted is the tokens of the prompt that endpoint i holds by now, and will have evicted for others before it computes the prompt, where another one
// rests. typical is the tokens of a mean prompt.
func (v *view) evicted(i int, typical float64, d *decision.Decision) float64 {
	t, blocks, shared := &v.all[i], int(v.depth[i]), v.pool.Shared()
	if v.shares.fewest >= 1 || t.Room == 0 || blocks <= shared {
		return 0
	}
	left := max(-short(t, typical), 0)
	if d.Uncached(shared)-d.Uncached(blocks) <= left {
		return 0
	}
	return max(v.pool.Idle(&d.Flight, i, blocks)-left, 0)
}
