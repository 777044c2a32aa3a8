package replay

import "slices"

// arrival is a request to come; arrivals is a heap by time, then by place in the trace.
type arrival struct {
	at    int64
	index int
}

type arrivals []arrival

func (a arrivals) Len() int      { return len(a) }
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a arrivals) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].index < a[j].index
}
func (a *arrivals) Push(x any) { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	last := (*a)[len(*a)-1]
	*a = slices.Delete(*a, len(*a)-1, len(*a))
	return last
}
