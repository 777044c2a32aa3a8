package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/load"
)

// The pool's endpoints come and go. Each has an index as long as it is there; of one that left, the index may be given
// to another later. All that is learned is by index, so those that stay keep all of it.

// Reserve makes room for n endpoints; the new ones are absent. Place does it one by one, which is slower.
func (r *Router) Reserve(n int) {
	if n <= len(r.Endpoints) {
		return
	}
	r.Endpoints = append(r.Endpoints, make([]config.Endpoint, n-len(r.Endpoints))...)
	for i := r.Load.Len(); i < n; i++ {
		r.Load.Grow(i + 1)
		r.Load.Remove(i)
		r.tells = append(r.tells, false)
	}
	if r.Index != nil {
		r.Index.Grow(n)
	}
	r.cache.grow(n)
	r.pool.grow(n)
	if p, keeps := r.chosen.(keeper); keeps {
		p.grow(n)
	}
}

// keeper is a policy that keeps something of its own by endpoint.
type keeper interface {
	// grow makes room for n endpoints.
	grow(n int)
	// enter says that endpoint i is to get requests again; anew, that it is another than before.
	enter(i int, anew bool)
}

// Place puts e into the pool at index i, 0 to 1023, or changes what is there. Another address is another endpoint, of
// which nothing is known yet: it gets a fair share of the new prompts at once. With the same address only the weight
// and the cluster change.
func (r *Router) Place(i int, e config.Endpoint, now int64) {
	r.Reserve(i + 1)
	old, present := r.Endpoints[i], r.Load.Present(i)
	if present && old.Address != e.Address {
		r.Remove(i)
		present = false
	}
	r.Endpoints[i] = e
	if present && old.Weight == e.Weight {
		return
	}
	r.pool.ring.Add(i, e.Address, e.Weight)
	r.Load.SetWeight(i, e.Weight)
	if present {
		return
	}
	r.pool.size++
	r.unlearn(i) // what requests that were still there have told since it left
	r.Load.Return(i, now)
	r.join(i, true)
}

// join says that endpoint i is to get requests again, or for the first time: its share, and not all of them.
func (r *Router) join(i int, anew bool) {
	r.pool.join(i)
	if p, keeps := r.chosen.(keeper); keeps {
		p.enter(i, anew)
	}
}

// SetState sets what who knows the pool says of endpoint i: out, that it cannot serve, and draining, that it is to get no
// new requests while others can have them.
func (r *Router) SetState(i int, out, draining bool, now int64) {
	if r.Load.SetState(i, out, draining, now) {
		r.join(i, false)
	}
}

// Remove takes the endpoint at index i out of the pool. Its requests in flight go on to their end.
func (r *Router) Remove(i int) {
	if i >= len(r.Endpoints) || !r.Load.Present(i) {
		return
	}
	r.pool.ring.Remove(i)
	r.pool.size--
	r.Load.Remove(i)
	r.unlearn(i)
}

// unlearn forgets what was learned of endpoint i, but for what the load table knows.
func (r *Router) unlearn(i int) {
	r.pool.long.tokens[i] = 0
	r.tells[i] = false
	r.Forget(i)
	r.cache.said[i], r.cache.most[i], r.cache.grain[i] = 0, 0, 0
	if r.Index != nil {
		r.Index.SetCapacity(i, 0)
	}
}

// Arrange makes the pool the n endpoints that at tells by index. Who leaves, or has a smaller weight than before, goes
// first: the ring has room for so many points, and all changes in one go may need it.
func (r *Router) Arrange(n int, at func(i int) (e config.Endpoint, present bool), now int64) {
	r.Reserve(n)
	for i := range n {
		if e, present := at(i); !present {
			r.Remove(i)
		} else if r.Load.Present(i) && e.Weight < r.Endpoints[i].Weight {
			r.Place(i, e, now)
		}
	}
	for i := range n {
		if e, present := at(i); present {
			r.Place(i, e, now)
		}
	}
}

// Mirror makes the pool the same as another router's.
func (r *Router) Mirror(other *Router, now int64) {
	r.Arrange(len(other.Endpoints), func(i int) (config.Endpoint, bool) {
		return other.Endpoints[i], other.Load.Present(i)
	}, now)
}

// Size is the number of endpoints in the pool.
func (r *Router) Size() int { return r.pool.size }

// Scraped takes a page of endpoint i's metrics that was read at now: its load, its cache, and whether it restarted.
func (r *Router) Scraped(i int, now int64, s *load.Sample) {
	if r.Load.Scraped(i, now, s) {
		r.Forget(i)
	}
	if s.Has&load.HasKVTokens != 0 {
		r.SetCache(i, s.KVTokens)
	}
}
