package route

import "warmroute/plugin/prefix"

// Hold says that a request of another worker went to endpoint, whose cache then holds the chain.
func (r *Router) Hold(endpoint int, chain *prefix.Chain, now int64) {
	if r.Index != nil && r.Load.Present(endpoint) {
		r.Index.Insert(endpoint, chain, millis(now))
	}
}

// Unhold says that of a request that went to endpoint at that time nothing came: its cache does not hold the blocks.
func (r *Router) Unhold(endpoint int, blocks []uint64, at int64) {
	if r.Index != nil {
		r.Index.Withdraw(endpoint, blocks, millis(at))
	}
}
