package traffic

import "warmroute/plugin/speed"

// Residence is how long requests hold memory, each weighed by its tokens, over about the last hundred.
type Residence struct{ requests, tokens, held float64 } // held: tokens × seconds

func (r *Residence) add(tokens, seconds float64) {
	r.requests, r.tokens, r.held = r.requests*speed.Keep+1, r.tokens*speed.Keep+tokens, r.held*speed.Keep+tokens*seconds
}

// Residences are those of this worker's requests, and of all others'.
type Residences struct{ own, others Residence }

func (r *Residences) all() Residence {
	return Residence{r.own.requests + r.others.requests, r.own.tokens + r.others.tokens, r.own.held + r.others.held}
}

// fewResidences is how many of an endpoint's own requests count as much in its residence as all of the pool's.
const fewResidences = 8

// Add counts a request of this worker at an endpoint, with so many tokens, that held them for so many seconds.
func (r *Residences) Add(endpoint *Residence, tokens, seconds float64) {
	endpoint.add(tokens, seconds)
	r.own.add(tokens, seconds)
}

// Of is the mean time, by tokens, that a request holds memory at an endpoint, in seconds; 0 before one has ended anywhere.
func (r *Residences) Of(endpoint *Residence) float64 {
	all := r.all()
	if all.requests == 0 {
		return 0
	}
	prior := fewResidences / all.requests
	return (endpoint.held + prior*all.held) / (endpoint.tokens + prior*all.tokens)
}

// Mean is that of the pool.
func (r *Residences) Mean() float64 {
	all := r.all()
	return all.held / max(all.tokens, 1)
}

// MeanTokens is the tokens of a prompt of the pool, on average; 0 before a response has ended.
func (r *Residences) MeanTokens() float64 {
	all := r.all()
	return all.tokens / max(all.requests, 1)
}
