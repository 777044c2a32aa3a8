package share

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Workers that hold other gateways' asks until there is something to tell are woken by the worker that has it: shared data has the
// queues to wake, and whoever wakes them takes them out. So much that happens in a row wakes them once. For each queue, little-endian:
//
//	0  the queue, 32 bits
//	4  when it may be woken, nanoseconds, 64 bits: before, its worker may not answer yet
const (
	armedKey  = KeyPrefix + "awaited"
	armedEach = 12
	armedMost = armedEach * maxWorkers // bytes
	armTries  = 8

	// latest bounds how far ahead a time is, in nanoseconds; one that is further is a broken clock's, and has come.
	latest = 1e9
)

// Arm has a queue be woken by what any worker tells next, from a time on.
//
//go:noinline
func Arm(store Store, queue uint32, from int64) {
	item := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, queue), uint64(from))
	for range armTries {
		value, version, ok := store.Get(armedKey)
		if !ok {
			version = Missing
		}
		if len(value) >= armedMost || len(value)%armedEach != 0 {
			value = nil
		}
		at := 0
		for at < len(value) && binary.LittleEndian.Uint32(value[at:]) != queue {
			at += armedEach
		}
		if at < len(value) && bytes.Equal(value[at:at+armedEach], item) {
			return
		}
		next := append(slices.Clone(value[:at]), item...)
		if at < len(value) {
			next = append(next, value[at+armedEach:]...)
		}
		if store.Set(armedKey, next, version) {
			return
		}
	}
}

// Tell publishes this worker's counts, like Publish, and wakes those that wait for news.
func (b *Board) Tell(now int64) {
	b.Publish(now)
	b.wake(now)
}

//go:noinline
func (b *Board) wake(now int64) {
	if b.Wake == nil {
		return
	}
	value, version, ok := b.store.Get(armedKey)
	if !ok || len(value) < armedEach {
		return
	}
	rest, due := b.buffer[:0], b.due[:0]
	for ; len(value) >= armedEach; value = value[armedEach:] {
		if from := int64(binary.LittleEndian.Uint64(value[4:])); from > now && from <= now+latest {
			rest = append(rest, value[:armedEach]...)
		} else {
			due = append(due, binary.LittleEndian.Uint32(value))
		}
	}
	b.buffer, b.due = rest, due
	if len(due) == 0 || !b.store.Set(armedKey, rest, version) {
		return // it is too early, or another worker wakes them
	}
	for _, queue := range due {
		b.Wake(queue)
	}
}
