package peers

import (
	"container/list"

	"warmroute/plugin/prefix"
)

// known is which blocks of prompts were sent where, each replica's by last use. Blocks are hashes of runs of characters,
// chained.
type known struct {
	size     int // characters of a block
	capacity int // blocks of a replica, the least recently used going first; 0: no bound
	replicas []recent
	chain    []uint64
}

type recent struct {
	order *list.List // front: used last
	at    map[uint64]*list.Element
}

func newKnown(replicas, size, capacity int) *known {
	k := &known{size: size, capacity: capacity}
	for range replicas {
		k.replicas = append(k.replicas, recent{list.New(), map[uint64]*list.Element{}})
	}
	return k
}

// read sets the chain to a text's whole blocks, at most most of them (0: all).
func (k *known) read(text []byte, most int) int {
	if most > 0 && len(text) > most*k.size {
		text = text[:most*k.size]
	}
	k.chain = prefix.Fixed(k.chain[:0], 0, text, k.size)
	return len(k.chain)
}

// matched is how many leading blocks of what was read a replica was sent.
func (k *known) matched(replica int) int {
	for n, hash := range k.chain {
		if _, ok := k.replicas[replica].at[hash]; !ok {
			return n
		}
	}
	return len(k.chain)
}

// send notes that a replica was sent what was read: its head was used last.
func (k *known) send(replica int) {
	r := &k.replicas[replica]
	for i := len(k.chain) - 1; i >= 0; i-- {
		hash := k.chain[i]
		if e, ok := r.at[hash]; ok {
			r.order.MoveToFront(e)
			continue
		}
		r.at[hash] = r.order.PushFront(hash)
		for k.capacity > 0 && r.order.Len() > k.capacity {
			delete(r.at, r.order.Remove(r.order.Back()).(uint64))
		}
	}
}

// held is how many blocks a replica is taken to hold.
func (k *known) held(replica int) int { return k.replicas[replica].order.Len() }
