package prefix

// Grow makes room for endpoints up to n−1, n ≤ MaxEndpoints, within the same budget. Pairs are kept; if more endpoints leave
// room for fewer pairs, the endpoint with most loses its oldest.
func (x *Index) Grow(n int) {
	if n <= x.endpoints {
		return
	}
	old := *x
	x.endpoints, x.words = n, max((n+63)/64, 1)
	x.most = x.slotsIn(n)
	x.limit = x.most / 4 * 3
	x.held, x.capacity = make([]int64, n), make([]int64, n)
	for e := range x.capacity {
		x.capacity[e] = unbounded
	}
	copy(x.capacity, old.capacity)
	x.allocate(min(max(old.slots, firstSlots), x.most))
	x.refile(&old)
}
