package metrics

import (
	"hash/fnv"
	"testing"
)

// fake is a proxy that keeps metrics by name, and by an ID made of it.
type fake map[uint32]*int64

func (fake) id(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()
}

func (f fake) DefineMetric(_ Kind, name string) (uint32, bool) {
	id := f.id(name)
	if f[id] == nil {
		f[id] = new(int64)
	}
	return id, true
}

func (f fake) AddMetric(id uint32, n int64) { *f[id] += n }

func (f fake) RecordMetric(id uint32, value uint64) { *f[id] = int64(value) }

func (f fake) has(name string) bool { return f[f.id(name)] != nil }

// value is that of a counter or a gauge, or the last of a histogram; −1: there is none.
func (f fake) value(name string) int64 {
	if !f.has(name) {
		return -1
	}
	return *f[f.id(name)]
}

// refusing is a proxy that has room for no metric.
type refusing struct{ fake }

func (refusing) DefineMetric(Kind, string) (uint32, bool) { return 0, false }

// A proxy that refuses a metric is not called with it: there is none of that number.
func TestRefusedMetrics(*testing.T) {
	m := New(refusing{}, "refused", 1)
	m.Removed()
	m.PeerFault("secret", "10.0.0.1:80")
	m.Passed(nil, "stalled")
	m.Flush(nil)
}
