package prefix

// Each endpoint's pairs are two lists by last use: those that requests on their way use, and the idle ones. A pair that is on no list has
// itself as its neighbours.

// queue is one of the lists.
type queue struct{ oldest, newest uint32 } // pairs; 0: none

// of is the list that a pair belongs on.
func (l *list) of(p *pair) *queue {
	if p.users > 0 {
		return &l.used
	}
	return &l.idle
}

func (l *list) empty() bool { return l.idle.oldest == 0 && l.used.oldest == 0 }

// victim is the pair that goes first: the one that was used longest ago, and of those in use (KeepUsed) none while there are others. 0:
// there is none.
func (x *Index) victim(l *list) uint32 {
	idle, used := l.idle.oldest, l.used.oldest
	switch {
	case used == 0:
		return idle
	case idle == 0 || !x.keeps && l.age(x.pairs.at(used).stamp) > l.age(x.pairs.at(idle).stamp):
		return used
	}
	return idle
}

// mostLate is by how much a report of another worker or gateway may come late, or a clock be set back, in ms: twelve days.
const mostLate = 1 << 30

// isLater says whether something that is touched now comes after all that was: what seems to be more than mostLate before it does.
func (l *list) isLater(now uint32) bool { return l.latest-now > mostLate }

// age is how long before the latest one a stamp is, in ms. A quiet endpoint keeps blocks for longer than the 25 days within which the sign
// of a difference says what came first; no stamp is after the latest, so this is right for twice as long.
func (l *list) age(stamp uint32) uint32 { return l.latest - stamp }

// link makes a pair the newest of its list. One that is on the list stays where it is: a peer's chain may repeat a block.
func (x *Index) link(id uint32, now uint32) {
	p := x.pairs.at(id)
	if p.older != id {
		return
	}
	l := &x.lists[p.endpoint]
	if l.empty() || l.isLater(now) {
		l.latest = now
	}
	p.stamp = now
	x.append(l.of(p), id)
}

func (x *Index) append(q *queue, id uint32) {
	p := x.pairs.at(id)
	if p.older, p.newer = q.newest, 0; q.newest != 0 {
		x.pairs.at(q.newest).newer = id
	} else {
		q.oldest = id
	}
	q.newest = id
}

// linkBefore puts a pair just before another of its endpoint, as its next older one, which as many use.
func (x *Index) linkBefore(id, other uint32) {
	p, o := x.pairs.at(id), x.pairs.at(other)
	p.older, p.newer, p.stamp, p.since, p.users = o.older, other, o.stamp, o.since, o.users
	if o.older != 0 {
		x.pairs.at(o.older).newer = id
	} else {
		x.lists[p.endpoint].of(o).oldest = id
	}
	o.older = id
}

func (x *Index) unlink(id uint32) {
	p := x.pairs.at(id)
	if p.older == id {
		return
	}
	q := x.lists[p.endpoint].of(p)
	if p.older != 0 {
		x.pairs.at(p.older).newer = p.newer
	} else {
		q.oldest = p.newer
	}
	if p.newer != 0 {
		x.pairs.at(p.newer).older = p.older
	} else {
		q.newest = p.older
	}
	p.older, p.newer = id, id
}

// Oldest is when the endpoint's block that is idle longest was touched, in ms; now, if there is none.
func (x *Index) Oldest(endpoint int, now uint32) uint32 {
	if id := x.lists[endpoint].idle.oldest; id != 0 {
		return x.pairs.at(id).stamp
	}
	return now
}
