package prefix

// Each endpoint's pairs are a list by last use. A pair that is on no list has itself as its neighbours.

// mostLate is by how much a report of another worker or gateway may come late, or a clock be set back, in ms: twelve days.
const mostLate = 1 << 30

// isLater says whether something that is touched now comes after all that was: what seems to be more than mostLate before it does.
func (l *list) isLater(now uint32) bool { return l.latest-now > mostLate }

// age is how long before the latest one a stamp is, in ms. A quiet endpoint keeps blocks for longer than the 25 days within which the sign
// of a difference says what came first; no stamp is after the latest, so this is right for twice as long.
func (l *list) age(stamp uint32) uint32 { return l.latest - stamp }

// link makes a pair its endpoint's newest. One that is on the list stays where it is: a peer's chain may repeat a block.
func (x *Index) link(id uint32, now uint32) {
	p := x.pairs.at(id)
	if p.older != id {
		return
	}
	l := &x.lists[p.endpoint]
	if l.newest == 0 || l.isLater(now) {
		l.latest = now
	}
	p.older, p.newer, p.stamp = l.newest, 0, now
	if l.newest != 0 {
		x.pairs.at(l.newest).newer = id
	} else {
		l.oldest = id
	}
	l.newest = id
}

// linkBefore puts a pair just before another of its endpoint, as its next older one.
func (x *Index) linkBefore(id, other uint32) {
	p, o := x.pairs.at(id), x.pairs.at(other)
	p.older, p.newer, p.stamp = o.older, other, o.stamp
	if o.older != 0 {
		x.pairs.at(o.older).newer = id
	} else {
		x.lists[p.endpoint].oldest = id
	}
	o.older = id
}

func (x *Index) unlink(id uint32) {
	p := x.pairs.at(id)
	if p.older == id {
		return
	}
	l := &x.lists[p.endpoint]
	if p.older != 0 {
		x.pairs.at(p.older).newer = p.newer
	} else {
		l.oldest = p.newer
	}
	if p.newer != 0 {
		x.pairs.at(p.newer).older = p.older
	} else {
		l.newest = p.older
	}
	p.older, p.newer = id, id
}
