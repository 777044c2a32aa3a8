package route

import (
	"math"

	"warmroute/plugin/recent"
)

// behind is how many prompts wait longer for what an endpoint computes now: as many as wait at an endpoint of the pool, on average, to be
// admitted, but no more than can come before that endpoint is idle again. Where a burst begins alike, most wait at the few that hold its
// beginning, while the others have nothing to do: there is no queue there that would become longer.
//
// Requests come by chance (Poisson) while the endpoint is busy with what is queued and with these tokens: its busy period (Kleinrock,
// Queueing Systems, volume 1, section 5.8). Chance takes three standard deviations more than the mean to be ruled out.
type behind struct {
	waiting float64 // the mean of the pool
	come    float64 // requests that come to an endpoint in the time that it takes for a token, for each weight: a slow card is due fewer
	busy    float64 // the share of its time, 0 to 1, that it needs for what comes, likewise

	weight, rate float64 // of the last endpoint: requests for each token that it has to compute
}

// behind is for a pool to which so many requests came in the last minute, with so many prompt tokens to compute.
func (v *view) behind(requests, tokens float64) behind {
	perToken := v.pool.Usual() / v.shares.capacity / (recent.Span / 1e9) // minutes
	return behind{waiting: v.waiting(), come: requests * perToken, busy: tokens * perToken}
}

// at is the number at an endpoint of that weight that has so many tokens to compute.
func (b *behind) at(weight, tokens float64) float64 {
	if b.waiting == 0 {
		return 0
	}
	if weight != b.weight { // a division takes as long as all the rest
		b.weight, b.rate = weight, b.come*weight/(1-min(b.busy*weight, mostBusy))
	}
	mean := b.rate * tokens
	if most := mean + 3*math.Sqrt(mean); most < b.waiting { // min asks for NaN, which these are not
		return most
	}
	return b.waiting
}
