// Package keepers knows which endpoint keeps which response of the Responses API: a table of hashes in sets of eight places
// (a set-associative cache), which doubles up to a bound. Where a set is full and there is no more room, the response that came
// first makes room.
package keepers

import "warmroute/plugin/prefix"

// Table is the responses that are kept: of so many as there is room for, those that came last. Its zero value is empty.
type Table []slot // a power of two, in sets of setSize; nil: none was kept yet

type slot struct {
	hash     uint64 // 0: free
	turn     uint32 // of the endpoint
	at       uint32 // ms
	endpoint int32
}

const (
	setSize = 8
	least   = 1 << 8
	most    = 1 << 14 // 400 KB
	seed    = 0x6f1d5a2b9c3e8471
)

// Hash is what a response is known by, never 0: a keyed hash of its name.
func Hash(secret uint64, id []byte) uint64 { return max(prefix.Key(seed^secret, id), 1) }

// Find is the endpoint that keeps the response of that hash, and its turn then; −1: none is known to.
func (t *Table) Find(hash uint64) (endpoint int, turn uint32) {
	for _, s := range t.set(hash) {
		if s.hash == hash {
			return int(s.endpoint), s.turn
		}
	}
	return -1, 0
}

// Note records that an endpoint keeps a response, since a time in milliseconds, which may wrap around. turn tells apart the endpoints that
// have that index one after the other.
func (t *Table) Note(hash uint64, endpoint int, turn, at uint32) {
	t.add(slot{hash, turn, at, int32(endpoint)})
}

// Drop forgets what an endpoint kept.
func (t *Table) Drop(endpoint int) {
	for k := range *t {
		if s := &(*t)[k]; s.endpoint == int32(endpoint) {
			*s = slot{}
		}
	}
}

// set is where a hash may be.
func (t *Table) set(hash uint64) []slot {
	if *t == nil {
		return nil
	}
	from := int(hash>>32) & (len(*t) - 1) &^ (setSize - 1)
	return (*t)[from : from+setSize]
}

func (t *Table) add(s slot) {
	if *t == nil {
		*t = make([]slot, least)
	}
	set := t.set(s.hash)
	to := &set[0]
	for k := range set {
		at := &set[k]
		if at.hash == s.hash {
			to = at
			break
		}
		if to.hash != 0 && (at.hash == 0 || int32(at.at-to.at) < 0) {
			to = at
		}
	}
	if to.hash != 0 && to.hash != s.hash && len(*t) < most {
		old := *t
		*t = make([]slot, 2*len(old))
		for _, o := range old {
			if o.hash != 0 {
				t.add(o)
			}
		}
		t.add(s)
		return
	}
	*to = s
}
