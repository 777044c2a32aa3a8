package worker

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/share"
)

// The clusters that patterns have found are a list in the proxy's shared data, so that every worker has all pools: one that has had no
// request of a pool may be the one that is asked for its news, or that leads. A worker adds a cluster at its first request,
// and takes over the others' at its next tick.
//
// The list, little-endian: for each cluster when it last had a request, seconds (32 bits), the length of its name (16) and the name. How
// often clusters have come or gone is another value, so that a tick reads a few bytes.
type registry struct {
	key, countKey string
	seen          uint32 // of the count
	written       int64  // ns: when this worker last said which of its pools are in use
}

const (
	registryHead = 6
	usedEvery    = 60e9 // nanoseconds
	registryCAS  = 20   // tries
)

// newRegistry is that of these patterns: a filter with others has other pools.
func (w *Worker) newRegistry() registry {
	key := share.Generation(0)
	for _, p := range w.finder.patterns {
		key = key.With(p.Name).With(p.Match.Cluster)
	}
	name := string(bytestr.AppendHex([]byte("warmroute.1.clusters."), uint64(key), 8))
	return registry{key: name, countKey: name + ".count"}
}

// change applies edit to the list, as often as other workers are faster. It returns whether the list has changed.
func (w *Worker) change(edit func(list []byte) []byte) bool {
	for range registryCAS {
		value, version, ok := w.store.Get(w.registry.key)
		if !ok {
			version = share.Missing
		}
		next := edit(append([]byte(nil), value...))
		if next == nil {
			return false
		}
		if w.store.Set(w.registry.key, next, version) {
			return true
		}
	}
	return false
}

// counted says that clusters have come or gone.
func (w *Worker) counted() {
	count, _, _ := w.store.Get(w.registry.countKey)
	n := uint32(0)
	if len(count) == 4 {
		n = binary.LittleEndian.Uint32(count)
	}
	w.store.Set(w.registry.countKey, binary.LittleEndian.AppendUint32(nil, n+1), 0)
}

// next is the first cluster of a list, and what is behind it; false at the end.
func next(list []byte) (used uint32, name, rest []byte, ok bool) {
	if len(list) < registryHead {
		return 0, nil, nil, false
	}
	end := registryHead + int(binary.LittleEndian.Uint16(list[4:]))
	if len(list) < end {
		return 0, nil, nil, false
	}
	return binary.LittleEndian.Uint32(list), list[registryHead:end], list[end:], true
}

// register adds clusters that had a request just now, or says that they had.
func (w *Worker) register(clusters ...string) {
	added := false
	w.change(func(list []byte) []byte {
		added, list = false, w.recent(list)
		for _, cluster := range clusters {
			if at := find(list, cluster); at >= 0 {
				binary.LittleEndian.PutUint32(list[at:], uint32(w.now/1e9))
				continue
			}
			added = true
			list = binary.LittleEndian.AppendUint32(list, uint32(w.now/1e9))
			list = append(binary.LittleEndian.AppendUint16(list, uint16(len(cluster))), cluster...)
		}
		return list
	})
	if added {
		w.counted()
	}
}

// recent is the list without clusters that have had no request for as long as a pool is kept, so that it does not grow.
func (w *Worker) recent(list []byte) []byte {
	kept := list[:0]
	for used, name, rest, ok := next(list); ok; used, name, rest, ok = next(rest) {
		if w.now/1e9-int64(used) < unused/1e9 {
			at := len(list) - len(rest) - registryHead - len(name)
			kept = append(kept, list[at:at+registryHead+len(name)]...)
		}
	}
	return kept
}

// unregister takes a cluster out of the list: its pool has made room.
func (w *Worker) unregister(cluster string) {
	if w.change(func(list []byte) []byte {
		at := find(list, cluster)
		if at < 0 {
			return nil
		}
		return append(list[:at], list[at+registryHead+len(cluster):]...)
	}) {
		w.counted()
	}
}

// find is where a cluster stands in a list; −1: nowhere.
func find(list []byte, cluster string) int {
	for at, rest := 0, list; ; {
		_, name, more, ok := next(rest)
		if !ok {
			return -1
		}
		if string(name) == cluster {
			return at
		}
		at += len(rest) - len(more)
		rest = more
	}
}

// readRegistry makes the pools that other workers have found, and says now and then which of this one's are in use.
func (w *Worker) readRegistry() {
	r := &w.registry
	if count, _, ok := w.store.Get(r.countKey); ok && len(count) == 4 && binary.LittleEndian.Uint32(count) != r.seen {
		r.seen = binary.LittleEndian.Uint32(count)
		w.takeOver()
	}
	if w.now-r.written < usedEvery && w.now >= r.written {
		return
	}
	r.written = w.now
	w.takeOver()
	for _, p := range w.pools {
		p.used = min(p.used, w.now) // the clock may have been set back
	}
	var used []string
	for cluster, p := range w.finder.clusters {
		if p != nil && p.pattern > 0 && w.now-p.used < usedEvery {
			used = append(used, cluster)
		}
	}
	if len(used) > 0 {
		w.register(used...)
	}
}

func (w *Worker) takeOver() {
	value, _, _ := w.store.Get(w.registry.key)
	list := append([]byte(nil), value...) // making a pool reads other values
	for used, name, rest, ok := next(list); ok; used, name, rest, ok = next(rest) {
		at := int64(used) * 1e9
		if p := w.finder.clusters[string(name)]; p == nil {
			if p = w.make(string(name)); p != nil {
				p.used = min(at, w.now)
			}
		} else if at <= w.now { // else it was written before the clock was set back
			p.used = max(p.used, at)
		}
	}
}
