package route

// Follow takes over what another router has learned of the same endpoints: their speed and health, how much their caches
// hold, and how long a token is. What r's own choices made stays: who holds which blocks, and what is in flight where.
func (r *Router) Follow(live *Router, now int64) {
	r.tokens = live.tokens
	for i := range r.Endpoints {
		if live.Load.Down(i) && !r.Load.Down(i) && (live.Index == nil || live.Index.Held(i) == 0) {
			r.Forget(i) // as the live router has: it does not even answer
		}
		if r.Load.Follow(live.Load, i, now) {
			r.join(i, false)
		}
	}
	if r.Index == nil || live.Index == nil {
		return
	}
	for i := range r.Endpoints {
		bytes, _ := live.Index.Capacity(i)
		r.Index.SetCapacity(i, bytes)
	}
}
