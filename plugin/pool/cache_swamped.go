package pool

// Prompts that wait at an endpoint have evicted nothing yet, and their clients may hang up before they do: a few long ones that are sent together
// would leave nothing of what is believed of its cache, though it computed none of them. What has been computed before it comes to those that are
// far behind is not known either. So no more than one part in swamped of a cache is believed to be evicted by what waits; what comes then is
// entered once its first token has come. Where an endpoint's metrics show that as much of its memory is in use, it computes what it is sent, and
// what waits is an overload.
const swamped = 2

// swamps says whether f is that.
func (p *Pool) swamps(f *Flight, now int64) bool {
	if p.Index == nil {
		return false
	}
	if used, all := p.UsedTokens(f.endpoint, now); used > all/swamped {
		return false
	}
	capacity, known := p.Index.Capacity(f.endpoint)
	return known && f.ahead*f.perToken > float64(capacity)/swamped
}
