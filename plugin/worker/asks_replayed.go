package worker

import "warmroute/plugin/news"

// An ask that was seen on the way can be sent again: its code stays right. Each gateway numbers its asks upwards, by its clock
// (gossip.Gossip.Ask), and waits for an answer before it asks the same gateway again for the news of the same pool. So one whose number
// is not above the last is none of the gateway's own. Each worker knows what it has been asked itself: it answers such an ask once at most,
// unless it has forgotten the gateway.

// asker is a gateway that asks for the news of a pool.
type asker struct {
	number uint64 // of its last ask
	at     int64  // ns: when that came
}

const (
	// forgetAsker is when a gateway that has asked no more is forgotten, in nanoseconds: another of its workers may ask by a clock that was
	// set back.
	forgetAsker = 60e9

	// mostAskers bounds those that are known, about 32 bytes each: of gateways by pools. Beyond it all are forgotten.
	mostAskers = 1 << 12
)

// replayed says whether an ask was sent before. Its code is not looked at: a forged one is refused in either case.
func (q *Asks) replayed(ask []byte, now int64) bool {
	key, number := news.Sender(ask)
	last, known := q.askers[key]
	return known && number > 0 && number <= last.number && now-last.at < forgetAsker && now >= last.at
}

// note takes an ask whose code is right.
func (q *Asks) note(ask []byte, now int64) {
	key, number := news.Sender(ask)
	if q.askers == nil || len(q.askers) >= mostAskers {
		q.askers = map[uint64]asker{}
	}
	q.askers[key] = asker{number, now}
}
