package share

import "math"

// What a worker tells its peers of its counts, and what it reads of theirs.

// Publish writes this worker's counts, what is new in its log, and where it ends, at its pace. Call it when they have changed. Without
// peers they wait for one, or for the next Tick.
func (b *Board) Publish(now int64) {
	b.late = true
	if b.Heard || len(b.live) > 0 || b.reads(now) && b.newPeer(now) {
		b.tell(now)
	}
}

// PublishKnown is Publish for the peers that are known: the next Sync, Settle or Tick finds a new one. Where requests are few it publishes without
// peers, too: a worker that joins replays the log, and a client's second request may be its first.
func (b *Board) PublishKnown(now int64) {
	b.late = true
	rest := now - b.decided
	b.decided = now
	switch {
	case b.Heard || len(b.live) > 0:
		b.tell(now)
	case rest < 0 || rest >= alone:
		b.publish(now)
		b.late = true // a new peer is still to be looked for
	}
}

// Flush publishes them at once, also without peers, and from now on whatever changes. Call it when the worker ends: the next one replays
// its log, and no Tick tells it what becomes of requests that are still open.
func (b *Board) Flush(now int64) {
	b.Heard = true
	b.publish(now)
}

func (b *Board) publish(now int64) {
	b.late = false
	if b.resume(now); b.slot >= 0 {
		b.beat = now
		if b.unwritten && !b.inSlot() {
			b.writePage()
		}
		b.store.Set(b.peer(b.slot).slotKey, b.encodeSlot(now), 0)
	}
}

// Sync joins the workers with the first call, and reads what the peers have published, at its pace: call it before a decision. To
// join, a worker claims a slot and replays all logs. The VM of the proxy's main thread has no requests and never joins.
func (b *Board) Sync(now int64) {
	b.resume(now)
	switch {
	case !b.joined:
		b.joined = true
		b.replay(now)
		b.Tick(now)
	case !b.reads(now):
		b.count(now)
		return
	case b.looks(now) && b.newPeer(now):
		b.Tick(now)
	}
	b.ReadPeers(now)
}

// ReadPeers reads what the peers have published, without joining them.
func (b *Board) ReadPeers(now int64) {
	for _, i := range b.live {
		p := b.peer(i)
		if value, version, ok := b.store.Get(p.slotKey); ok && (version != p.version || p.value == nil) {
			p.value, p.version, b.counted = append(p.value[:0], value...), version, false
		}
	}
	b.count(now)
	if b.remote.key != "" {
		b.readRemote(now)
	}
}

// count takes over what was read of the peers, if that is not done.
func (b *Board) count(now int64) {
	if !b.counted || now > b.until || now < b.inFlight.now || len(b.inFlight.counts) != len(b.pool.Endpoints) {
		b.countPeers(now)
	}
}

// countPeers adds up what the live peers have published, and reads what is new in their logs.
func (b *Board) countPeers(now int64) {
	b.inFlight.reset(now, b.generation, len(b.pool.Endpoints))
	b.counted, b.until, b.logged = true, math.MaxInt64, 0
	for _, i := range b.live {
		value := b.peer(i).value
		if b.inFlight.add(inFlightOf(value)) != slotLive {
			continue
		}
		b.until = min(b.until, heartbeatOf(inFlightOf(value))+maxAge)
		b.inFlight.addTokens(value)
		b.logged += nextOf(value)
		if b.joined { // likewise readRemote
			b.readLog(i, now)
		}
	}
	b.pool.SetWorkerRequests(b.inFlight.requests, now)
	b.pool.AtGateways.SetWorkers(b.inFlight.holds)
	for e, n := range b.inFlight.counts {
		b.pool.SetWorkers(e, n, b.inFlight.work[e], b.inFlight.lines[e])
	}
}

// Logged changes with each prompt that a worker logs, as far as it is known here. Workers that come and go change it, too.
func (b *Board) Logged() uint64 { return b.next + b.logged }
