package peers

import "slices"

// member is a replica from when it joins until it leaves; one that comes back is another.
type member struct {
	address string
	place   int // among those that are there; -1: it has left
}

// Watch implements router.Watcher.
func (e *Engine) Watch(joined, left []string) {
	for _, address := range left {
		if m := e.at(address); m != nil {
			e.policy.leave(m.place)
			e.members, e.inFlight = slices.Delete(e.members, m.place, m.place+1), slices.Delete(e.inFlight, m.place, m.place+1)
			for i := m.place; i < len(e.members); i++ {
				e.members[i].place = i
			}
			m.place = -1
		}
	}
	for _, address := range joined {
		e.join(address)
	}
}

func (e *Engine) join(address string) {
	e.policy.join(address)
	e.members, e.inFlight = append(e.members, &member{address, len(e.members)}), append(e.inFlight, 0)
}

// at is the replica of that address, or nil.
func (e *Engine) at(address string) *member {
	for _, m := range e.members {
		if m.address == address {
			return m
		}
	}
	return nil
}
