package queue

import "math"

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

// Holds is what waits at this worker, and at each of the proxy's others and of the other gateways.
type Holds struct{ own, workers, gateways []Hold }

// Own is what waits at this worker.
func (h *Holds) Own() []Hold { return h.own }

// SetOwn sets Own. The list is kept.
func (h *Holds) SetOwn(own []Hold) { h.own = own }

// SetWorkers sets what waits at each of the proxy's other workers. The list is copied.
func (h *Holds) SetWorkers(all []Hold) { h.workers = append(h.workers[:0], all...) }

// SetGateways sets what waits at each of the other gateways, likewise.
func (h *Holds) SetGateways(all []Hold) { h.gateways = append(h.gateways[:0], all...) }

// Proxy is what waits at all workers of this proxy, by group, in the memory of list.
func (h *Holds) Proxy(list []Hold) []Hold {
	list = list[:0]
	for _, of := range [...][]Hold{h.own, h.workers} {
		for _, more := range of {
			list = AddHold(list, more)
		}
	}
	return list
}

// Others is what waits for a group elsewhere than at this worker; without requests where nothing does.
func (h *Holds) Others(group uint32) Hold {
	all := Hold{Group: group}
	for _, of := range [...][]Hold{h.workers, h.gateways} {
		for _, more := range of {
			if more.Group == group {
				all = all.With(more)
			}
		}
	}
	return all
}

// Ahead is how many other workers and gateways have a request for a group that goes before one of that turn.
func (h *Holds) Ahead(group uint32, turn Turn) (places int) {
	for _, of := range [...][]Hold{h.workers, h.gateways} {
		for i := range of {
			if more := &of[i]; more.Group == group && more.Requests > 0 && more.First.Before(turn) {
				places++
			}
		}
	}
	return places
}
