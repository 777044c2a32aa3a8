package traffic

import "warmroute/plugin/speed"

// Habits are what one worker tells of its requests, whatever their endpoints: Returning, and the requests, tokens, and tokens × seconds of
// which the means are how long they hold memory and how long they are. A worker that sees one request in a minute would else take the load of
// an hour ago for today's.
type Habits [5]float64

const (
	habitFound = iota
	habitAll
	habitRequests
	habitTokens
	habitHeld
)

// No prompt has more tokens, and no request holds memory for more seconds.
const (
	longestPrompt = 1 << 24
	longestStay   = 3600
)

// Plus is both.
func (h Habits) Plus(other *Habits) Habits {
	for k := range h {
		h[k] += other[k]
	}
	return h
}

// Plausible says whether they may be those of so many workers.
func (h *Habits) Plausible(workers float64) bool {
	return h[habitFound] <= h[habitAll] && h[habitAll] <= workers*seenPrompts*longestPrompt &&
		h[habitRequests] <= workers*speed.MostSums && h[habitTokens] <= h[habitRequests]*longestPrompt && h[habitHeld] <= h[habitTokens]*longestStay
}

// HabitsOf are what this worker has counted.
func HabitsOf(back *Returns, stays *Residences) Habits {
	return Habits{
		habitFound: back.own.Found, habitAll: back.own.All,
		habitRequests: stays.own.requests, habitTokens: stays.own.tokens, habitHeld: stays.own.held,
	}
}

// SetOthers makes them what other workers and gateways have counted.
func (h *Habits) SetOthers(back *Returns, stays *Residences) {
	back.others = Returning{Found: h[habitFound], All: h[habitAll]}
	stays.others = Residence{h[habitRequests], h[habitTokens], h[habitHeld]}
}
