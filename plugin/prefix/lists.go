package prefix

// Each endpoint's pairs are a list by last use. A pair that is on no list has itself as its neighbours.

// link makes a pair its endpoint's newest. One that is on the list stays where it is: a peer's chain may repeat a block.
func (x *Index) link(id uint32, now uint32) {
	p := x.pairs.at(id)
	if p.older != id {
		return
	}
	l := &x.lists[p.endpoint]
	if l.newest == 0 || int32(now-l.latest) > 0 {
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
