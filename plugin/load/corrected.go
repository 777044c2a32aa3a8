package load

// Corrected says that a prompt of endpoint i took so many tokens more to compute than Begin was told, or fewer where
// tokens is below 0: the answer has told what was cached. Without it Work would follow what is believed of the caches,
// and an endpoint of which too much is believed would be given more than its share for good.
func (t *Table) Corrected(i int, now int64, tokens float64) {
	e := &t.ends[i]
	if e.recent == 0 {
		return // it has joined anew since
	}
	faded := e.faded(now)
	e.recent, e.work, e.recentAt = e.recent*faded, max(e.work*faded+tokens, 0), now
}

// Fade is e^(−x) for x ≥ 0, the same on every machine and in the module.
func Fade(x float64) float64 { return fade(x) }

// Resized says that a request at endpoint i, counted by Begin, has that many tokens more to compute than was told, or
// fewer; queued that it streams and its first token has not come.
func (t *Table) Resized(i int, now int64, tokens float64, queued bool) {
	t.Corrected(i, now, tokens)
	if e := &t.ends[i]; queued && e.waiting > 0 {
		e.queued = max(e.queued+tokens, 0)
	}
}
