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
//	4  when it may be woken, nanoseconds, 64 bits: before, its worker may not answer yet. Below 0: minus that, and something was told before
const (
	armedKey  = KeyPrefix + "awaited"
	armedEach = 12
	armedMost = armedEach * maxWorkers // bytes
	armTries  = 8

	// latest bounds how far ahead a time is, in nanoseconds; one that is further is a broken clock's, and has come.
	latest = 1e9
)

// Arm has a queue be woken by what any worker tells next, from a time on. missed says that something was told before the time for which
// it was armed last.
//
//go:noinline
func Arm(store Store, queue uint32, from int64) (missed bool) {
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
		missed = at < len(value) && int64(binary.LittleEndian.Uint64(value[at+4:])) < 0
		if at < len(value) && bytes.Equal(value[at:at+armedEach], item) {
			break
		}
		next := append(slices.Clone(value[:at]), item...)
		if at < len(value) {
			next = append(next, value[at+armedEach:]...)
		}
		if store.Set(armedKey, next, version) {
			break
		}
	}
	return missed
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
	for range armTries {
		value, version, ok := b.store.Get(armedKey)
		if !ok || len(value) < armedEach {
			return
		}
		rest, due, changed := b.buffer[:0], b.due[:0], false
		for ; len(value) >= armedEach; value = value[armedEach:] {
			from, early := int64(binary.LittleEndian.Uint64(value[4:])), len(rest)
			if max(from, -from) <= now || max(from, -from) > now+latest {
				due = append(due, binary.LittleEndian.Uint32(value))
				continue
			}
			rest = append(rest, value[:armedEach]...)
			if from > 0 {
				binary.LittleEndian.PutUint64(rest[early+4:], uint64(-from))
				changed = true
			}
		}
		b.buffer, b.due = rest, due
		if len(due) == 0 && !changed {
			return
		}
		if b.store.Set(armedKey, rest, version) {
			break
		}
		b.due = b.due[:0] // another worker wakes them, or has armed its own
	}
	for _, queue := range b.due {
		b.Wake(queue)
	}
}
