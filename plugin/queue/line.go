package queue

import "math"

// Line is the prompts that wait at an endpoint, of some of its clients: streams without a first token, which shows when a prompt
// is computed. The endpoint computes one after another, whoever sent them.
type Line struct {
	Waiting int
	Queued  float64 // tokens: theirs, and what is left of responses that are not streamed
	Begun   int64   // ns: when the first of them came, where none waited before
	Ended   int64   // ns: when one left the line last; 0: none has
}

// With is two clients' lines as one.
func (l Line) With(other Line) Line {
	if other.Waiting > 0 && (l.Waiting == 0 || other.Begun < l.Begun) {
		l.Begun = other.Begun
	}
	l.Waiting += other.Waiting
	l.Queued += other.Queued
	l.Ended = max(l.Ended, other.Ended)
	return l
}

// Since is when the endpoint began with the first of those that wait.
func (l *Line) Since() int64 { return max(l.Begun, l.Ended) }

// First is the tokens of the first of those that wait, if they are alike.
func (l *Line) First() float64 { return l.Queued / float64(max(l.Waiting, 1)) }

// Moved is a line that was reported before a first token showed at its endpoint, as of that first token. Between first tokens the endpoint
// computes without showing it, so a report from between them has prompts that are computed by now: of what the endpoint computes in the
// time, at perToken seconds a token, one prompt is that of the first token, and of the rest this line has the part that its tokens are of
// all that wait there.
func (l Line) Moved(shown int64, all, perToken float64) Line {
	if l.Waiting > 0 && l.Queued > 0 { // of responses that are not streamed no end shows
		others := max(Computed(shown-l.Since(), perToken)-l.First(), 0)
		left := max(1-others/max(all, l.Queued), 0)
		l.Queued *= left
		l.Waiting = int(math.Ceil(float64(l.Waiting) * left))
	}
	l.Ended = max(l.Ended, shown)
	return l
}

// Left is what is left of the line's tokens at an endpoint that takes perToken seconds for each: the first prompt is being
// computed, and no other before its first token shows.
func (l *Line) Left(now int64, perToken float64) float64 {
	if l.Waiting == 0 {
		return l.Queued
	}
	return l.Queued - min(Computed(now-l.Since(), perToken), l.First())
}

// Late is the tokens that could have been computed since a first token was due at the latest: when all that wait were computed, and the
// seconds were over that every response takes beside. It may be the longest of them that is computed first, which nobody tells.
func (l *Line) Late(now int64, perToken, overhead float64) float64 {
	if l.Waiting == 0 {
		return 0
	}
	return max(Computed(now-l.Since(), perToken)-overhead/perToken-l.Queued, 0)
}

// Computed is the tokens that are computed in a time, in ns.
func Computed(time int64, perToken float64) float64 { return max(float64(time), 0) / 1e9 / perToken }
