package load

// Follow takes over what another table has learned of the same endpoints: their weight, speed and health. What comes of
// the choices that are made by t stays: requests in flight, prompts queued, work given. So do pages of metrics, which
// show what came of the other's choices.
func (t *Table) Follow(other *Table, now int64) {
	t.rates = other.rates
	for i := range min(len(t.ends), len(other.ends)) {
		e, o := &t.ends[i], &other.ends[i]
		back := e.health.down && !o.health.down
		e.weight, e.draining, e.speed, e.step, e.health = o.weight, o.draining, o.speed, o.step, o.health
		t.SetOut(i, o.out, now)
		if back {
			t.Join(i, now)
		}
	}
}
