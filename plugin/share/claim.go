package share

import "slices"

// A worker claims the first slot that is free, by compare and swap, and renews its heartbeat at each tick.

// Tick renews this worker's heartbeat and finds the live peers. Call it several times within maxAge.
func (b *Board) Tick(now int64) {
	b.live, b.free, b.counted, b.beat = b.live[:0], -1, false, now
	for i := range maxWorkers {
		empty := b.checkSlot(i, now)
		if b.free < 0 && b.slot != i && !slices.Contains(b.live, i) {
			b.free = i
		}
		if empty {
			break // slots are claimed in order
		}
	}
	b.publish(now)
}

// resume is Tick for a worker that has written no heartbeat for maxAge, before it writes: another may have claimed its slot.
func (b *Board) resume(now int64) {
	if age := now - b.beat; b.slot >= 0 && (age > maxAge || age < -maxAge) {
		b.Tick(now)
	}
}

// checkSlot finds out which worker has slot i, and claims it if this worker needs one and it is free. It reports whether
// the slot never had an owner.
func (b *Board) checkSlot(i int, now int64) (empty bool) {
	value, version, ok := b.store.Get(b.peer(i).slotKey)
	if !ok {
		version = Missing
	}
	free, own := claimable(inFlightOf(value), now, maxAge), b.owns(value)
	if b.slot == i && (free || !own) { // this worker was stopped for longer than maxAge
		b.slot = -1
		b.peer(i).read = min(b.next, nextOf(value)) // what is before is its own
	}
	if b.joined && b.slot < 0 && free {
		if b.claim(i, version, value, own, now) {
			return false
		}
		value, _, _ = b.store.Get(b.peer(i).slotKey) // another worker was faster
	}
	if b.slot != i && !claimable(inFlightOf(value), now, maxAge) {
		b.live = append(b.live, i)
	}
	return len(value) == 0
}

// owns says whether this worker has written that value of a slot.
func (b *Board) owns(value []byte) bool {
	owner, ok := ownerOf(inFlightOf(value))
	return ok && owner == b.id
}

// claim takes slot i, if no other worker is faster. The log goes on after the last owner's, so that its readers miss
// nothing; own says that this was the worker itself.
func (b *Board) claim(i int, version uint32, value []byte, own bool, now int64) bool {
	if !own {
		b.next = nextOf(value)
		b.resumePage(i, value)
	}
	if !b.store.Set(b.peer(i).slotKey, b.encodeSlot(now), version) {
		return false
	}
	b.slot = i
	if !own { // until it tells its own, the last owner's speeds and losses, of any age, would count as its
		b.store.Set(b.speedsKey(i), nil, 0)
	}
	return true
}

// newPeer says whether a worker has claimed the slot that was free at the last Tick. Reading an empty slot is cheap.
func (b *Board) newPeer(now int64) bool {
	if b.free < 0 {
		return false
	}
	value, _, ok := b.store.Get(b.peer(b.free).slotKey)
	return ok && !claimable(inFlightOf(value), now, maxAge)
}
