package prefix

// Grow makes room for endpoints up to n−1, n ≤ MaxEndpoints, and forgets nothing. Each 64 endpoints after the first make the records of runs 8
// bytes longer, those that there are as well: an index that is full then takes more than its budget, 1.9 times as much where 60 endpoints
// become 1,024, and no more after that.
func (x *Index) Grow(n int) {
	if n <= x.endpoints {
		return
	}
	for e := x.endpoints; e < n; e++ {
		x.lists, x.held, x.capacity = append(x.lists, list{}), append(x.held, 0), append(x.capacity, unbounded)
	}
	x.endpoints = n
	x.alive = append(x.alive, make([]uint64, wordsFor(n)-len(x.alive))...)
	if words := wordsFor(n); words > x.words {
		x.widen(words)
	}
}

// widen gives each run a longer row of holders.
func (x *Index) widen(words int) {
	for i, old := range x.holders {
		wide := newPiece[uint64](words << x.runs.shift)
		for r := range 1 << x.runs.shift {
			copy(wide[r*words:], old[r*x.words:(r+1)*x.words])
		}
		freePiece(old)
		x.holders[i] = wide
	}
	x.taken += len(x.holders) * 8 * (words - x.words) << x.runs.shift
	x.words = words
}
