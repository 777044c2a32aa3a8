package load

// Follow takes over what another table has learned of the same endpoint: its weight, speed and health, and how fast all
// are. What comes of the choices that are made by t stays: requests in flight, prompts queued, work given. So do pages of
// metrics, which show what came of the other's choices. It reports whether the endpoint came back, as SetState does.
func (t *Table) Follow(other *Table, i int, now int64) (back bool) {
	t.rates = other.rates
	e, o, bore := &t.ends[i], &other.ends[i], t.Bears(i)
	e.weight, e.draining, e.out, e.speed, e.step, e.health = o.weight, o.draining, o.out, o.speed, o.step, o.health
	if back = !bore && t.Bears(i); back {
		t.Join(i, now)
	}
	return back
}
