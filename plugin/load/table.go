// Package load keeps what is known of how busy each endpoint is. Slots are indexed like the configured endpoints.
package load

// Table counts the requests that this worker has sent to each endpoint and not yet seen the end of.
type Table struct {
	inFlight []int
	total    int
}

// NewTable returns a table of n idle endpoints.
func NewTable(n int) *Table {
	return &Table{inFlight: make([]int, n)}
}

// Len is the number of endpoints.
func (t *Table) Len() int { return len(t.inFlight) }

// InFlight is the number of requests in flight at endpoint i.
func (t *Table) InFlight(i int) int { return t.inFlight[i] }

// Total is the number of requests in flight at all endpoints.
func (t *Table) Total() int { return t.total }

// Acquire counts one more request in flight at endpoint i.
func (t *Table) Acquire(i int) {
	t.inFlight[i]++
	t.total++
}

// Release counts one request fewer at endpoint i. A release without its Acquire is ignored: a count never
// falls below zero, where it would draw traffic for ever.
func (t *Table) Release(i int) {
	if t.inFlight[i] == 0 {
		return
	}
	t.inFlight[i]--
	t.total--
}
