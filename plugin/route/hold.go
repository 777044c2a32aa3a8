package route

// Hold says that a request of another worker went to endpoint, whose cache then holds the chain.
func (r *Router) Hold(endpoint int, chain []uint64, now int64) {
	if r.Index != nil && r.Load.Present(endpoint) {
		r.Index.Insert(endpoint, chain, millis(now))
	}
}
