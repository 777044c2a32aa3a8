package route

import (
	"math"

	"warmroute/plugin/decision"
	"warmroute/plugin/models"
	"warmroute/plugin/others"
	"warmroute/plugin/pool"
	"warmroute/plugin/recent"
)

// view is what a policy sees of the pool; look sets it for each request. Slices are by endpoint.
type view struct {
	pool *pool.Pool

	all    []pool.Summary
	class  []class
	best   class       // the first class that has an endpoint: its endpoints share the load
	shares share       // their sums
	alike  bool        // all endpoints are of the best class
	zoned  bool        // endpoints are in several zones
	bound  bool        // an endpoint is at its bound
	places []float32   // Pool.Places, where the policy goes by memory; nil: it does not
	pace   float64     // the mean of pool.Summary.Slower, where bounds go by speed; 0: they do not
	tight  bool        // they go by memory
	depth  []int32     // leading blocks of the chain that each endpoint is believed to hold
	cost   []float64   // by the policy, in its unit
	held   []pool.Held // beginnings of the prompt that endpoints hold, the longest first; the policy's to fill
	given  []float64   // prompt tokens sent recently, by all workers
	sum    float64     // of given
	sent   float64     // requests that this worker sent recently
	excess []float64   // of those in class over: the requests that one more would be above the bound; infinite: never
	least  []int       // of cheapest
	hold   *hold       // of cache_aware, for the request's group
	holds  holds       // those of all groups
	group  uint64      // as pool.Pool.Group, of the last look's model
	now    int64       // ns, of the last look

	servers models.Servers // of the last look's model
}

// share is the sum over the endpoints of a class.
type share struct {
	size       int
	weight     float64
	parts      float64        // of which each has its own of the requests: view.part
	requests   float64        // of all clients
	waiting    float64        // prompts that are not admitted yet, of those that are counted here
	foreign    others.Average // and of those that pages alone show
	live, room float64        // KV tokens used or queued for, of those that there are: of endpoints whose metrics tell
	told       int            // those endpoints
	slower     float64        // as pool.Summary
	capacity   float64        // likewise
	work       float64        // of pool.Summary.Share
	most       float64        // requests at one endpoint
	fewest     float64        // likewise
	light      float64        // the least weight of one
}

// add adds an endpoint, and its part.
func (s *share) add(t *pool.Summary, part float64) {
	if s.size == 0 {
		s.light, s.fewest = t.Weight, t.Requests
	}
	s.size++
	s.weight += t.Weight
	s.parts += part
	s.requests += t.Requests
	counted := min(t.Unadmitted, t.Counted)
	s.waiting += counted
	s.foreign.Add(t.Unadmitted - counted)
	s.slower += t.Slower
	s.capacity += t.Capacity
	s.work += t.Share
	s.most, s.fewest, s.light = max(s.most, t.Requests), min(s.fewest, t.Requests), min(s.light, t.Weight)
	if t.Room > 0 {
		s.live, s.room, s.told = s.live+live(t), s.room+t.Room, s.told+1
	}
}

// class orders endpoints: all of one class are tried before those of the next.
type class uint8

const (
	well     class = iota
	over           // well, but at the policy's bound of load
	draining       // is to get no new requests while others can
	down           // fails, or hangs
	unable         // does not serve the request's model, while others do
	classes
	absent = classes // not in the pool: never tried
)

var classOf = [...]class{pool.Well: well, pool.Barren: over, pool.Draining: draining, pool.Down: down, pool.Absent: absent}

// grow makes room for all endpoints of the pool.
func (v *view) grow() {
	for i := len(v.class); i < len(v.pool.Endpoints); i++ {
		v.class = append(v.class, absent)
		v.cost, v.given, v.excess = append(v.cost, 0), append(v.given, 0), append(v.excess, 0)
	}
}

// look sets the class of each endpoint for a request of that model, and what its cache is believed to hold of the prompt.
func (v *view) look(now int64, model []byte, d *decision.Decision) {
	v.grow()
	v.now, v.all = now, v.pool.Look(now)
	servers := v.pool.ServersOf(model)
	var of [classes + 1]share
	// The sums of those that are well are apart, so that the compiler keeps them in registers: it divides a share into its bytes.
	size, told, sent, sum, faded := 0, 0, 0.0, 0.0, v.pool.Faded()
	var foreign others.Average
	weight, light, requests, most, fewest, waiting, used, room, slower, capacity, work := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	large, filled := 0.0, 0.0 // of room and used, what the endpoint has that has most
	all := v.all
	classes, given := v.class[:len(all)], v.given[:len(all)] // likewise: a store to a byte may change any field
	for i := range all {
		t := &all[i]
		tokens := t.Given(faded)
		given[i] = tokens
		sent, sum = sent+t.Sent(faded), sum+tokens
		if t.Class == pool.Well && servers.Has(i) { // as share.add, but min and max ask for NaN, which these are not
			classes[i] = well
			if size == 0 || t.Weight < light {
				light = t.Weight
			}
			if t.Requests > most {
				most = t.Requests
			}
			if size == 0 || t.Requests < fewest {
				fewest = t.Requests
			}
			size++
			counted := t.Unadmitted
			if counted > t.Counted {
				counted = t.Counted
			}
			foreign.Add(t.Unadmitted - counted)
			weight, requests, waiting, slower = weight+t.Weight, requests+t.Requests, waiting+counted, slower+t.Slower
			capacity += t.Capacity
			work += t.Share
			if t.Room > 0 {
				used, room, told = used+live(t), room+t.Room, told+1
				if t.Room > large {
					large, filled = t.Room, live(t)
				}
			}
			continue
		}
		c := classOf[t.Class]
		if c != absent && !servers.Has(i) {
			c = unable
		}
		classes[i] = c
		of[c].add(t, t.Weight)
	}
	if others := room - large; told > 2 && large > others { // a page that claims what no card has is not to say for all whether memory is short
		used, room = used-filled+filled*(others/large), others+others
	}
	of[well] = share{size: size, weight: weight, parts: weight, requests: requests, waiting: waiting, foreign: foreign, live: used, room: room, told: told, slower: slower,
		capacity: capacity, work: work, most: most, fewest: fewest, light: light}
	v.sent, v.sum, v.best, v.bound = sent, sum, well, false
	for v.best < unable && of[v.best].size == 0 {
		v.best++
	}
	if v.group = 0; of[unable].size > 0 {
		v.group = servers.Group()
	}
	v.hold, v.servers = v.holds.of(v.group), servers
	v.shares = of[v.best]
	v.alike = v.shares.size == len(v.all)
	if v.pool.Warming(now) {
		v.warmUp(now)
	}
	if v.pool.Health.AnyBarren() {
		v.shun()
	}
	v.zoned = v.pool.Zoned()
	v.depth = v.pool.Match(&d.Flight)
}

// warmUp puts endpoints that are slow to start, and have as many requests as they may, into the class over.
func (v *view) warmUp(now int64) {
	for i := range v.all {
		warm := v.pool.Warm(i, now)
		if v.class[i] != well || warm == 1 {
			continue
		}
		if v.all[i].Requests >= math.Ceil(warm*(v.shares.requests+1)*v.fair(i)) {
			v.class[i], v.alike, v.excess[i] = over, false, math.Inf(1)
		}
	}
}

// shun lets endpoints that answer without computing compete for prompts that they hold (excuse), unless they answer none.
func (v *view) shun() {
	v.bound = true
	for i, c := range v.class {
		if c == over {
			if v.excess[i] = 1; v.pool.Health.GivesNone(i) {
				v.excess[i] = math.Inf(1)
			}
		}
	}
}

// arrivals is the recent rate of arrival at all endpoints, a second: requests, and prompt tokens to compute.
func (v *view) arrivals() (requests, tokens float64) {
	return (v.sent + v.pool.OtherRequests()) / (recent.Span / 1e9), v.sum / (recent.Span / 1e9)
}

// fair is endpoint i's share of the load by its weight, 0 to 1, among the endpoints of the best class. Endpoints that get
// nothing, because they fail or are for standby, do not count: with them all others would be far above their fair share.
func (v *view) fair(i int) float64 { return v.all[i].Weight / v.shares.weight }

// fairWork is its share of the prompt tokens to compute, likewise: twice as slow a card is due half of them, and so is one with half as much memory.
func (v *view) fairWork(i int) float64 { return v.all[i].Share / v.shares.work }
