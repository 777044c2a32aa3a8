package peers

import (
	"container/list"
	"slices"
	"sort"
)

// known is which blocks of prompts were sent where, each replica's by last use. Blocks are hashes of runs of characters,
// chained: two prompts have the same n-th hash if all their blocks up to there are the same.
type known struct {
	size     int // characters of a block
	capacity int // blocks of a replica, the least recently used going first; 0: no bound
	replicas []recent
	chain    []uint64 // of the prompt that was read; nobody writes to it
}

// recent is what one replica was sent. A block belongs to the run of the last prompt that had it. A prompt that comes takes
// its blocks from the runs of those before it, which then begin where they differ from it, so that a run is found by its
// first block; and within a prompt the last blocks are the least recently used, so that they are evicted from a run's end.
// This is an LRU list of blocks at a cost that goes with the number of runs.
type recent struct {
	order *list.List               // of *run; front: used last
	runs  map[uint64]*list.Element // by the first block
	held  int                      // blocks of all runs
}

// run is blocks of one prompt that were last sent with it.
type run struct {
	first  int      // the place in the prompt of blocks[0]
	blocks []uint64 // not empty
}

// join adds a replica that was sent nothing.
func (k *known) join(string) {
	k.replicas = append(k.replicas, recent{order: list.New(), runs: map[uint64]*list.Element{}})
}

// leave forgets a replica.
func (k *known) leave(replica int) { k.replicas = slices.Delete(k.replicas, replica, replica+1) }

// read sets the chain to a prompt's whole blocks, at most most of them (0: all).
func (k *known) read(p *shown, most int) int {
	k.chain = p.chain(k.size, most)
	return len(k.chain)
}

// matched is how many leading blocks of what was read a replica was sent.
func (k *known) matched(replica int) (n int) {
	r := &k.replicas[replica]
	for n < len(k.chain) {
		e, ok := r.runs[k.chain[n]]
		if !ok {
			break
		}
		n += e.Value.(*run).common(k.chain)
	}
	return n
}

// common is how many of a run's blocks a prompt has, of which the first is one.
func (r *run) common(chain []uint64) int { return common(r.blocks, chain[r.first:]) }

// common is how many leading blocks two chains have in common: since hashes are chained, all before an equal one are equal.
func common(a, b []uint64) int {
	return sort.Search(min(len(a), len(b)), func(i int) bool { return a[i] != b[i] })
}

// send notes that a replica was sent what was read: its head was used last.
func (k *known) send(replica int) {
	if len(k.chain) == 0 {
		return
	}
	r, n := &k.replicas[replica], 0
	for n < len(k.chain) {
		e, ok := r.runs[k.chain[n]]
		if !ok {
			break
		}
		n += r.cut(e, k.chain)
	}
	r.held += len(k.chain)
	r.runs[k.chain[0]] = r.order.PushFront(&run{blocks: k.chain})
	for n < len(k.chain) && k.capacity > 0 && r.held > k.capacity {
		r.evict(r.held - k.capacity)
	}
}

// cut takes a prompt's blocks from a run that begins with one of them, and says how many.
func (r *recent) cut(e *list.Element, chain []uint64) int {
	old := e.Value.(*run)
	n := old.common(chain)
	r.held -= n
	delete(r.runs, old.blocks[0])
	if n == len(old.blocks) {
		r.order.Remove(e)
		return n
	}
	rest := old.blocks[n:]
	if cap(old.blocks) > 2*len(rest) { // what was cut is to be freed
		rest = slices.Clone(rest)
	}
	old.first, old.blocks = old.first+n, rest
	r.runs[rest[0]] = e
	return n
}

// evict forgets blocks of the run that was used least recently, at most so many.
func (r *recent) evict(most int) {
	e := r.order.Back()
	old := e.Value.(*run)
	n := min(most, len(old.blocks))
	r.held -= n
	if n == len(old.blocks) {
		delete(r.runs, old.blocks[0])
		r.order.Remove(e)
		return
	}
	old.blocks = old.blocks[:len(old.blocks)-n]
}

// held is how many blocks a replica is taken to hold.
func (k *known) held(replica int) int { return k.replicas[replica].held }
