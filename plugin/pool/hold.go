package pool

import (
	"math"

	"warmroute/plugin/bytestr"
)

// Hold is the requests that wait for room at a group of endpoints, at one worker or gateway.
type Hold struct {
	Group    uint32 // GroupName
	Requests int
	First    Turn
}

// Turn says which of all that wait goes first, wherever they do: the smallest, and of a size the one that came first.
type Turn struct {
	Size  uint8 // SizeOf
	Since int64 // ns
}

// SizeOf is the size of a prompt with so many tokens to compute: those of a size have up to √2 times as many as others of it.
func SizeOf(tokens float64) uint8 {
	fraction, twos := math.Frexp(min(max(tokens, 1), 1<<60)) // .5 to 1
	size := uint8(2 * twos)
	if fraction >= math.Sqrt2/2 {
		size++
	}
	return size
}

// Before says whether it goes before another.
func (t Turn) Before(other Turn) bool {
	return t.Size < other.Size || t.Size == other.Size && t.Since < other.Since
}

// shaken is by how much a Since differs each time that it is told, in ns at most: by rounding, and by the time that news take.
const shaken = 50e6

// Same says whether it is probably the same request's, as told at another time.
func (t Turn) Same(other Turn) bool {
	return t.Size == other.Size && max(t.Since, other.Since)-min(t.Since, other.Since) <= shaken
}

// With is what waits for one group at two places together; one of them may have no requests, and says nothing then.
func (h Hold) With(more Hold) Hold {
	switch {
	case more.Requests < 1:
		return h
	case h.Requests < 1:
		return more
	case more.First.Before(h.First):
		h.First = more.First
	}
	h.Requests += more.Requests
	return h
}

const (
	// MostHolds is for how many groups a worker or gateway says what waits there: where more models wait, those of the others go without
	// regard to each other.
	MostHolds = 4

	// MostPlaces bounds what is known of others, each group of each worker and gateway.
	MostPlaces = 128
)

// holds is what waits at this worker, and at each of the proxy's others and of the other gateways.
type holds struct{ own, workers, gateways []Hold }

// GroupName is a name of the endpoints that are known to serve a model, the same in all gateways; 0 where all serve it, as far as is known.
func (p *Pool) GroupName(model []byte) (name uint32) {
	if p.Group(model) == 0 {
		return 0
	}
	servers := p.ServersOf(model)
	for i := range p.Endpoints {
		if p.Present(i) && servers.lists(i) {
			name += uint32(bytestr.Hash(0, []byte(p.Endpoints[i].Address))) // gateways may have them in another order
		}
	}
	return max(name, 1)
}

// AddHold adds what waits somewhere to a list by group, if it has room.
func AddHold(list []Hold, more Hold) []Hold {
	if more.Requests < 1 {
		return list
	}
	for i := range list {
		if list[i].Group == more.Group {
			list[i] = list[i].With(more)
			return list
		}
	}
	if len(list) == MostHolds {
		return list
	}
	return append(list, more)
}

// OwnHolds is what waits at this worker.
func (p *Pool) OwnHolds() []Hold { return p.holds.own }

// SetHolds sets OwnHolds. The list is kept.
func (p *Pool) SetHolds(own []Hold) { p.holds.own = own }

// SetWorkersHolds sets what waits at each of the proxy's other workers. The list is copied.
func (p *Pool) SetWorkersHolds(all []Hold) { p.holds.workers = append(p.holds.workers[:0], all...) }

// SetGatewaysHolds sets what waits at each of the other gateways, likewise.
func (p *Pool) SetGatewaysHolds(all []Hold) { p.holds.gateways = append(p.holds.gateways[:0], all...) }

// ProxyHolds is what waits at all workers of this proxy, by group, in the memory of list.
func (p *Pool) ProxyHolds(list []Hold) []Hold {
	list = list[:0]
	for _, of := range [...][]Hold{p.holds.own, p.holds.workers} {
		for _, h := range of {
			list = AddHold(list, h)
		}
	}
	return list
}

// OthersHold is what waits for a group elsewhere than at this worker; without requests where nothing does.
func (p *Pool) OthersHold(group uint32) Hold {
	all := Hold{Group: group}
	for _, of := range [...][]Hold{p.holds.workers, p.holds.gateways} {
		for _, h := range of {
			if h.Group == group {
				all = all.With(h)
			}
		}
	}
	return all
}

// Ahead is how many other workers and gateways have a request for a group that goes before one of that turn.
func (p *Pool) Ahead(group uint32, turn Turn) (places int) {
	for _, of := range [...][]Hold{p.holds.workers, p.holds.gateways} {
		for i := range of {
			if h := &of[i]; h.Group == group && h.Requests > 0 && h.First.Before(turn) {
				places++
			}
		}
	}
	return places
}
