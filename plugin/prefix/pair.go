package prefix

import "math/bits"

// pair is one run at one endpoint.
type pair struct {
	run          uint32
	next         uint32 // in the bucket, or the next free one
	older, newer uint32 // neighbours in its list; 0: none; its own number: it is on no list
	stamp        uint32 // last touch, ms
	since        uint32 // ms: requests that were sent before are not among users
	endpoint     uint16
	users        uint16 // requests that are on their way with it: 0: it is idle
}

func pairKey(run uint32, endpoint int) uint64 { return uint64(run)<<16 | uint64(endpoint) }

// findPair is the pair of a run and an endpoint; 0: none.
func (x *Index) findPair(run uint32, endpoint int) uint32 {
	if first := x.runs.at(run).first; first != 0 && int(x.pairs.at(first).endpoint) == endpoint {
		return first
	}
	if !x.holds(run, endpoint) {
		return 0
	}
	id := x.byRun.first(x.spread(pairKey(run, endpoint)))
	for i := 0; id != 0 && i < longest; i++ {
		p := x.pairs.at(id)
		if p.run == run && int(p.endpoint) == endpoint {
			return id
		}
		id = p.next
	}
	return 0
}

// newPair files the pair of a run and an endpoint, without a place in the endpoint's list. There must be room.
func (x *Index) newPair(run uint32, endpoint int) uint32 {
	c := &x.pairs
	id := c.free
	if id != 0 {
		c.free = c.at(id).next
		c.idle--
	} else {
		id = c.fresh()
	}
	r := x.runs.at(run)
	*x.pairs.at(id) = pair{run: run, endpoint: uint16(endpoint), older: id, newer: id}
	if r.first == 0 {
		r.first = id
	} else {
		x.filePair(id, run, endpoint)
	}
	x.held[endpoint] += r.bytes()
	x.blocks += int(r.count)
	x.row(run)[endpoint>>6] |= 1 << (endpoint & 63)
	r.gone &^= 1 << (endpoint & 63)
	return id
}

func (x *Index) filePair(id, run uint32, endpoint int) {
	if x.byRunRecords++; x.byRunRecords > int(x.byRun.buckets) {
		x.dividePairs()
	}
	head := x.byRun.head(x.spread(pairKey(run, endpoint)))
	x.pairs.at(id).next, *head = *head, id
}

// dividePairs divides the next buckets of the table of pairs, as divideRuns does.
func (x *Index) dividePairs() {
	t, sum := &x.byRun, uint64(0)
	if !x.headRoom(&t.heads) {
		return
	}
	lists, n := t.next()
	for range readAhead {
		for i := range n {
			p := x.pairs.at(lists[i])
			sum, lists[i] = sum+uint64(p.run), p.next
		}
	}
	x.read = sum
	for range atOnce {
		if !x.headRoom(&t.heads) {
			return
		}
		list := t.extend()
		for list != 0 {
			moved := x.pairs.at(list)
			head := t.head(x.spread(pairKey(moved.run, int(moved.endpoint))))
			list, moved.next, *head = moved.next, *head, list
		}
	}
}

// dropPair removes a pair, which is in its endpoint's list, and its run if it was the last.
func (x *Index) dropPair(id uint32) {
	p := x.pairs.at(id)
	run, endpoint := p.run, int(p.endpoint)
	x.unlink(id)
	r := x.runs.at(run)
	if r.first == id {
		r.first = 0
	} else {
		at := x.byRun.head(x.spread(pairKey(run, endpoint)))
		for *at != id && *at != 0 {
			at = &x.pairs.at(*at).next
		}
		if *at == id {
			*at = p.next
		}
		x.byRunRecords--
	}
	p.next, p.run, x.pairs.free = x.pairs.free, 0, id
	x.pairs.idle++
	x.held[endpoint] -= r.bytes()
	x.blocks -= int(r.count)
	row, any := x.row(run), uint64(0)
	row[endpoint>>6] &^= 1 << (endpoint & 63)
	for _, word := range row {
		any |= word
	}
	if any == 0 {
		x.dropRun(run)
	}
}

// row is the holders of a run: a bit for each endpoint.
func (x *Index) row(run uint32) []uint64 {
	at := int(run&(1<<x.runs.shift-1)) * x.words
	return x.holders[run>>x.runs.shift][at : at+x.words]
}

// holds says whether an endpoint holds a run.
func (x *Index) holds(run uint32, endpoint int) bool {
	return x.row(run)[endpoint>>6]>>(endpoint&63)&1 != 0
}

// holding is the number of endpoints that hold a run.
func (x *Index) holding(run uint32) (n int) {
	for _, word := range x.row(run) {
		n += bits.OnesCount64(word)
	}
	return n
}
