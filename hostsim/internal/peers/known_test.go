package peers

import (
	"container/list"
	"math/rand/v2"
	"testing"
)

// lru is an LRU list of single blocks, as plain as can be.
type lru struct {
	order *list.List // front: used last
	at    map[uint64]*list.Element
}

func (l *lru) matched(chain []uint64) int {
	for n, hash := range chain {
		if _, ok := l.at[hash]; !ok {
			return n
		}
	}
	return len(chain)
}

func (l *lru) send(chain []uint64, capacity int) {
	for i := len(chain) - 1; i >= 0; i-- {
		if e, ok := l.at[chain[i]]; ok {
			l.order.MoveToFront(e)
			continue
		}
		l.at[chain[i]] = l.order.PushFront(chain[i])
		for capacity > 0 && l.order.Len() > capacity {
			delete(l.at, l.order.Remove(l.order.Back()).(uint64))
		}
	}
}

// Runs match and evict what an LRU list of blocks does, whatever prompts share, and where the capacity changes.
func TestKnownIsAnLRUOfBlocks(t *testing.T) {
	const size = 4
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 5))
		capacity := []int{0, 7, 60, 300}[seed%4]
		k, plain := &known{size: size, capacity: capacity}, &lru{list.New(), map[uint64]*list.Element{}}
		k.join("")
		var sent [][]byte
		for at := range 600 {
			if at == 300 && capacity > 0 {
				capacity = 1 + rng.IntN(100)
				k.capacity = capacity
			}
			var text []byte
			if len(sent) > 0 && rng.IntN(4) > 0 { // goes on from a part of an earlier one
				text = append(text, sent[rng.IntN(len(sent))]...)
				text = text[:rng.IntN(len(text)+1)]
			}
			for range rng.IntN(80) {
				text = append(text, "ab"[rng.IntN(2)])
			}
			sent = append(sent, text)
			k.read(prompted(string(text)), 0)
			if got, want := k.matched(0), plain.matched(k.chain); got != want {
				t.Fatalf("seed %d, prompt %d: %d blocks match, want %d", seed, at, got, want)
			}
			k.send(0)
			plain.send(k.chain, capacity)
			if got, want := k.held(0), plain.order.Len(); got != want {
				t.Fatalf("seed %d, prompt %d: %d blocks are held, want %d", seed, at, got, want)
			}
		}
	}
}
