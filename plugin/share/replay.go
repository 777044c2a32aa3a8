package share

// cursor is the place in one log up to which it has been read.
type cursor struct {
	slot     int // or remoteLog
	at, next uint64
	entry    []byte // of number at
	happened int64  // when its step was, nanoseconds
}

// value is the entry as log.go has it.
func (c *cursor) value() []byte {
	if c.slot == remoteLog {
		return c.entry[:len(c.entry)-originLength]
	}
	return c.entry
}

// replay reads all logs, merged by time, so that the index evicts in the order in which the caches did. Logs of workers
// that are gone count: the caches are still there. It runs once for each VM; four full logs cost about as much as
// thirty thousand reads of a value.
func (b *Board) replay(now int64) {
	var x Export
	x.Begin(b, nil, true, b.Gateways(), now)
	for i := range x.cursors {
		if c := &x.cursors[i]; c.slot == remoteLog {
			b.remote.next = c.next
		} else {
			b.peer(c.slot).read = c.next
		}
	}
	for x.More() {
		c := &x.cursors[x.first]
		b.apply(c.value(), c.at, now)
		x.Skip()
	}
}
