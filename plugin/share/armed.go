package share

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Workers that hold other gateways' asks until there is something to tell are woken by the worker that has it: shared data has the
// queues to wake, 32 bits each, little-endian, and whoever wakes them empties it. So much that happens in a row wakes them once.
const (
	armedKey  = keyPrefix + "armed"
	armTries  = 8
	armedMost = 4 * maxWorkers // bytes
)

// Arm has a queue be woken by what any worker tells next.
func Arm(store Store, queue uint32) {
	item := binary.LittleEndian.AppendUint32(nil, queue)
	for range armTries {
		value, version, ok := store.Get(armedKey)
		if !ok {
			version = Missing
		}
		for i := 0; i+4 <= len(value); i += 4 {
			if bytes.Equal(value[i:i+4], item) {
				return
			}
		}
		if len(value) >= armedMost || len(value)%4 != 0 {
			value = nil
		}
		if store.Set(armedKey, append(slices.Clone(value), item...), version) {
			return
		}
	}
}

// Tell publishes this worker's counts, like Publish, and wakes those that wait for news.
func (b *Board) Tell(now int64) {
	b.Publish(now)
	b.wake()
}

func (b *Board) wake() {
	if b.Wake == nil {
		return
	}
	value, version, ok := b.store.Get(armedKey)
	if !ok || len(value) == 0 {
		return
	}
	queues := slices.Clone(value)
	if !b.store.Set(armedKey, nil, version) {
		return // another worker wakes them
	}
	for i := 0; i+4 <= len(queues); i += 4 {
		b.Wake(binary.LittleEndian.Uint32(queues[i:]))
	}
}
