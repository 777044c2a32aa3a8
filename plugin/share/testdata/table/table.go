// Package table is the other structure for an index that all workers of a proxy share, measured beside the logs of
// package share and not shipped: one hash table of blocks in shared data, of which workers keep no copy. What it costs
// does not grow with the workers, and a new one knows at once what all know; but each look is a call of the proxy, and so
// is each block that is entered.
//
// A bucket is a value under one of a fixed number of keys, its entries 8 blocks at most: hash, last touch, and a bit for
// each endpoint that holds it. Writers use compare and swap; of a full bucket the entry that was not touched for longest
// gives way. Of a chain only some blocks are entered, about four for each doubling of the depth, so that a chain of 256
// blocks takes 28 writes instead of 256, and a match is known to an eighth of its depth.
package table

import (
	"encoding/binary"

	"warmroute/plugin/share"
)

const (
	buckets   = 1 << 14
	ways      = 8
	keyDigits = 4
	refresh   = 10_000 // ms after which a touch is written again
	tries     = 4
)

// Table is one worker's way to it.
type Table struct {
	store   share.Store
	words   int // of 64 holders
	entry   int // bytes
	keys    string
	buffer  []byte
	anchors []int
	floor   []uint32 // by endpoint: what was touched before is gone
	slots   [][]uint64
}

// New is the way to the table of n endpoints.
func New(store share.Store, n int) *Table {
	t := &Table{store: store, words: (n + 63) / 64, floor: make([]uint32, n)}
	t.entry = 8 + 4 + 8*t.words
	const digits = "0123456789abcdef"
	keys := make([]byte, 0, buckets*keyDigits)
	for k := range buckets {
		keys = append(keys, digits[k>>12&15], digits[k>>8&15], digits[k>>4&15], digits[k&15])
	}
	t.keys = string(keys)
	return t
}

func (t *Table) key(hash uint64) string {
	at := int(hash*0x9e3779b97f4a7c15>>50) * keyDigits
	return t.keys[at : at+keyDigits]
}

// anchorsOf are the places, from 1, of a chain's blocks that are entered.
func (t *Table) anchorsOf(n int) []int {
	t.anchors = t.anchors[:0]
	for at := 1; at <= n; at += max(at/4, 1) {
		t.anchors = append(t.anchors, at)
	}
	if k := len(t.anchors); k > 0 && t.anchors[k-1] != n {
		t.anchors = append(t.anchors, n)
	}
	return t.anchors
}

// find is the entry of a block in a bucket, -1 where there is none.
func (t *Table) find(bucket []byte, hash uint64) int {
	for at := 0; at+t.entry <= len(bucket); at += t.entry {
		if binary.LittleEndian.Uint64(bucket[at:]) == hash {
			return at
		}
	}
	return -1
}

// Match sets depth to the leading blocks that each endpoint holds, as far as the anchors show.
func (t *Table) Match(chain []uint64, depth []int32) {
	clear(depth)
	anchors := t.anchorsOf(len(chain))
	if len(anchors) == 0 {
		return
	}
	for len(t.slots) < len(anchors)+1 {
		t.slots = append(t.slots, make([]uint64, t.words))
	}
	t.holders(0, chain[0])
	last := len(anchors) - 1
	if last > 0 {
		t.holders(last, chain[anchors[last]-1])
		t.between(chain, depth, 0, last)
	}
	t.record(depth, t.slots[last], nil, anchors[last])
}

func (t *Table) between(chain []uint64, depth []int32, low, high int) {
	same := true
	for w := range t.words {
		same = same && t.slots[low][w] == t.slots[high][w]
	}
	if same {
		return
	}
	if high-low == 1 {
		t.record(depth, t.slots[low], t.slots[high], t.anchors[low])
		return
	}
	middle := (low + high) / 2
	t.holders(middle, chain[t.anchors[middle]-1])
	t.between(chain, depth, low, middle)
	t.between(chain, depth, middle, high)
}

func (t *Table) record(depth []int32, has, hasNot []uint64, d int) {
	for e := range depth {
		if has[e>>6]>>(e&63)&1 == 1 && (hasNot == nil || hasNot[e>>6]>>(e&63)&1 == 0) {
			depth[e] = max(depth[e], int32(d))
		}
	}
}

// holders reads which endpoints hold a block.
func (t *Table) holders(slot int, hash uint64) {
	clear(t.slots[slot])
	bucket, _, _ := t.store.Get(t.key(hash))
	at := t.find(bucket, hash)
	if at < 0 {
		return
	}
	touched := binary.LittleEndian.Uint32(bucket[at+8:])
	for e, floor := range t.floor {
		if touched >= floor {
			t.slots[slot][e>>6] |= binary.LittleEndian.Uint64(bucket[at+12+8*(e>>6):]) & (1 << (e & 63))
		}
	}
}

// Insert says that the endpoint holds the chain from now on.
func (t *Table) Insert(endpoint int, chain []uint64, now uint32) {
	for _, n := range t.anchorsOf(len(chain)) {
		for range tries {
			if t.enter(endpoint, chain[n-1], now) {
				break
			}
		}
	}
}

func (t *Table) enter(endpoint int, hash uint64, now uint32) bool {
	key := t.key(hash)
	bucket, version, _ := t.store.Get(key)
	t.buffer = append(t.buffer[:0], bucket...)
	at := t.find(t.buffer, hash)
	if at < 0 && len(t.buffer) < ways*t.entry {
		at = len(t.buffer)
		t.buffer = append(t.buffer, make([]byte, t.entry)...)
	} else if at < 0 {
		at = 0
		for i := t.entry; i < len(t.buffer); i += t.entry {
			if int32(binary.LittleEndian.Uint32(t.buffer[i+8:])-binary.LittleEndian.Uint32(t.buffer[at+8:])) < 0 {
				at = i
			}
		}
		clear(t.buffer[at : at+t.entry])
	}
	e := t.buffer[at : at+t.entry]
	word := e[12+8*(endpoint>>6):]
	held := binary.LittleEndian.Uint64(word)
	bit := uint64(1) << (endpoint & 63)
	if held&bit != 0 && now-binary.LittleEndian.Uint32(e[8:]) < refresh {
		return true
	}
	binary.LittleEndian.PutUint64(e, hash)
	binary.LittleEndian.PutUint32(e[8:], now)
	binary.LittleEndian.PutUint64(word, held|bit)
	return t.store.Set(key, t.buffer, version)
}

// Expire forgets what the endpoint was given at the time of a block that has turned out to be gone, or before.
func (t *Table) Expire(endpoint int, hash uint64) {
	bucket, _, _ := t.store.Get(t.key(hash))
	if at := t.find(bucket, hash); at >= 0 {
		t.floor[endpoint] = max(t.floor[endpoint], binary.LittleEndian.Uint32(bucket[at+8:])+1)
	}
}
