package share

// A proxy's shared data has one lock for all its threads, and each call copies a value. Workers that serve thousands of requests a second
// would spend more on telling each other of each request than on the requests, so what they exchange is bounded: as much as happens
// at once, up to burst, is told and read at once; what follows is gathered, for interval on average.
const (
	// burst is more requests than one worker begins, tells of and ends at the same moment, where hundreds of clients wait for each other.
	burst = 128

	// interval bounds how old counts are in a worker that decides all the time, in nanoseconds: less than the prefill of a prompt of a few
	// hundred tokens takes.
	interval = 1e6

	// alone is how long a worker that serves thousands of requests takes to find a new peer, in nanoseconds. Until then each of the two
	// does without what the other has begun.
	alone = 10e6
)

// pace allows burst at once, and one in each interval after that (the generic cell rate algorithm, ITU-T I.371).
type pace struct {
	due int64 // ns: when all that was allowed would have taken place at the interval
}

// take says whether something may take place now.
func (p *pace) take(now, interval int64) bool {
	if p.due > now+burst*interval { // the clock was set back, or the interval was longer
		p.due = now
	}
	if p.due-now > (burst-1)*interval {
		return false
	}
	p.due = max(p.due, now) + interval
	return true
}

// reads says whether the peers, a new one and other gateways are looked at now.
func (b *Board) reads(now int64) bool {
	if len(b.live) == 0 && !b.Heard {
		return b.reading.take(now, alone)
	}
	return b.reading.take(now, interval)
}

// looks says whether a new peer is looked for now. Without any known one, reads has said it.
func (b *Board) looks(now int64) bool {
	return len(b.live) == 0 || b.looking.take(now, alone)
}

// tell publishes at once, or leaves it to a later call or to Settle. Other gateways wait for what they are told, and are answered from it.
func (b *Board) tell(now int64) {
	if b.Heard || b.writing.take(now, interval) {
		b.publish(now)
	}
}

// Settle publishes what was left for later, if there is anybody to read it. Call it when nothing may follow soon.
func (b *Board) Settle(now int64) {
	switch {
	case !b.late:
	case b.Heard || len(b.live) > 0:
		b.publish(now)
	case b.newPeer(now):
		b.Tick(now)
	}
}
