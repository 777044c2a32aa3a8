package route

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/others"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
	"warmroute/plugin/traffic"
)

// scan decides as cache_aware is defined, endpoint by endpoint and as often as the formula says, from the pool's methods alone.
// It follows Pick, whose findings on how much of the prompt is held where it takes over.
type scan struct {
	rig
	now      int64
	class    []class
	best     class
	cost     []float64
	uncached []float64 // what each is to compute of the prompt
	gone     int       // decisions where some is evicted before
	size     int
	capacity float64 // of all, of speed
	all      float64 // likewise, of speed × memory
	evicted  float64 // the share of what is computed that was evicted before
	requests float64
	pace     float64   // seconds a token takes on average, where bounds go by speed; else 0
	tight    bool      // bounds go by memory
	paced    int       // decisions where they do
	parted   int       // decisions by a place where one chain has parted from another
	apart    []bool    // endpoints that other clients alone fill
	excess   []float64 // requests above the bound, with this one
	short    int64     // ns: since when memory is
	together int       // decisions by keepTogether
	passed   int       // of those, where an endpoint was passed over for its queue
	thrash   []float64 // before Pick, of this worker's requests
	sure     []float64 // of that
	left     int       // decisions that leave lowered a cost for
	excused  int       // endpoints at their bound that were not passed over
}

func (s *scan) look() {
	p := s.Pool
	s.class, s.cost, s.excess = make([]class, len(p.Endpoints)), make([]float64, len(p.Endpoints)), make([]float64, len(p.Endpoints))
	s.apart, s.pace, s.tight = make([]bool, len(p.Endpoints)), 0, false
	var size [classes + 1]int
	for i := range s.class {
		switch {
		case !p.Present(i):
			s.class[i] = absent
		case p.Health.Down(i):
			s.class[i] = down
		case p.Health.Draining(i):
			s.class[i] = draining
		}
		size[s.class[i]]++
	}
	for s.best = well; s.best < down && size[s.best] == 0; s.best++ {
	}
	s.size, s.capacity, s.all, s.requests = 0, 0, 0, 0
	for i, c := range s.class {
		if c == s.best {
			s.size, s.requests = s.size+1, s.requests+p.Requests(i, s.now)
			s.capacity += s.speed(i)
			s.all += s.speed(i) * s.memorySize(i)
		}
	}
	s.evicted = min(outlasts*p.Again.Share(p.Stays.MeanTokens()), 1)
}

func (s *scan) fairWork(i int) float64 { return s.speed(i) * s.memorySize(i) / s.all }

// speed is what endpoint i computes in a second, by its weight.
func (s *scan) speed(i int) float64 { return float64(s.Weight(i)) / s.PerToken(i) }

// memorySize is the KV memory of endpoint i, against the others'.
func (s *scan) memorySize(i int) float64 {
	if s.Places() == nil {
		return 1
	}
	return s.view.all[i].Memory // TestSizes
}

// part is the share of the requests that is due to endpoint i, among those that count.
func (s *scan) part(i int, counts func(i int) bool) float64 {
	all, of := 0.0, func(i int) float64 {
		switch {
		case s.tight:
			return float64(s.Weight(i)) * s.memorySize(i)
		case s.pace == 0:
			return float64(s.Weight(i))
		}
		return float64(s.Weight(i)) * math.Sqrt(s.memorySize(i)) / math.Sqrt(min(max(s.PerToken(i)/s.pace, 1./trusted), trusted))
	}
	for i := range s.class {
		if counts(i) {
			all += of(i)
		}
	}
	return of(i) / all
}

// most leaves out those whose requests do not count.
func (s *scan) most(i int, b config.Bound) float64 {
	part := s.part(i, func(i int) bool { return s.class[i] <= over && !s.apart[i] })
	return math.Ceil(b.LoadFactor*(s.requests+1)*part) + float64(b.LoadMargin)
}

// decide is the order, the reason and the first endpoint's cost.
func (s *scan) decide(of *prompt.Prompt, d *decision.Decision, n int, cfg *config.Config) (order []int, reason decision.Reason, cost float64) {
	s.look()
	key := prefix.Key(d.Seed, of.Text)
	if d.Total > 0 {
		key = of.Hash(d.Seed, min(s.common(d.Total), d.Total-1))
	}
	p, v := s.Pool, &s.view
	var foreign []float64 // prompts that pages alone show
	var arrived, total, waiting, perToken, live, room, told, large, filled float64
	back := v.pool.Returns.Share() >= comeback && v.pool.Returns.Kept() >= retained
	for i := range s.class {
		own, _ := p.OwnWork(i, s.now)
		arrived, total = arrived+own, total+v.all[i].Given(p.Faded()) // TestSummaries
		if s.class[i] == s.best {
			counted := min(p.Unadmitted(i, s.now), p.Counted(i))
			waiting, perToken = waiting+counted, perToken+p.PerToken(i)
			foreign = append(foreign, p.Unadmitted(i, s.now)-counted)
			if used, all := p.UsedTokens(i, s.now); all > 0 {
				live, room, told = live+used+p.Queue(i, s.now), room+all, told+1
				if all > large {
					large, filled = all, used+p.Queue(i, s.now)
				}
			}
		}
	}
	if rest := room - large; s.best == well && told > 2 && large > rest { // the largest memory counts for no more than all others
		live, room = live-filled+filled*rest/large, 2*rest
	}
	if math.Abs(v.sent-arrived) > 1e-6 || math.Abs(v.sum-total) > 1e-6*(1+total) { // the sums are those of the endpoints
		panic("sums")
	}
	arrived += p.OtherRequests()
	slices.Sort(foreign)
	if n := len(foreign) - 1; n > 0 { // the most counts with no more than all others
		rest := 0.0
		for _, f := range foreign[:n] {
			rest += f
		}
		foreign[n] = min(foreign[n], rest)
	}
	for _, f := range foreign {
		waiting += f
	}
	waiting, perToken = waiting/float64(s.size), perToken/float64(s.size)
	prompt := max(d.Tokens, 1)
	held := slices.Clone(v.depth)
	for i, c := range s.class {
		if c != s.best {
			held[i] = 0
		}
	}
	slices.Sort(held)
	alone := len(held) == 1 && held[0] > 0 || len(held) > 1 && held[len(held)-1] > held[len(held)-2]
	each, dear := make([]float64, len(s.class)), 1.0
	s.uncached = make([]float64, len(s.class))
	if room > 0 {
		dear += scarce * min(max(live/room-half, 0)/(full-half), 1)
	}
	for i := range s.class {
		fair := total * s.fairWork(i)
		slower := p.PerToken(i) / perToken
		s.uncached[i] = s.tokens(i, arrived, d)
		tokens := s.uncached[i] + p.LoadTokens(&d.Flight, i, s.now)
		queued := max(p.Queue(i, s.now)+float64(goesOn*p.Late(i, s.now)), s.memory(i, d))
		behind := min(waiting, s.come(i, queued+tokens, arrived, total))
		each[i] = dear * (slower*(1+behind+stalled*p.Requests(i, s.now)) + min(slower, 1)*min((v.given[i]-fair)/(fair+prompt), 1))
		s.cost[i] = (p.OverheadTokens()+queued+s.decoding(i, prompt))*slower + tokens*each[i]
		s.cost[i] += p.CrossZone(i) / perToken
	}
	if live <= full*room || s.short == 0 || s.short > s.now {
		s.short = s.now
	}
	most := held[len(held)-1]
	overfull := room > 0 && live >= overfull*room && back && (int(most) > s.Shared() || s.Company() < others.Accompanied)
	for i := range s.class {
		switch unlike := s.memorySize(i) != s.memorySize(0); {
		case live > full*room:
			s.tight = s.tight || unlike
		case unlike || s.PerToken(i) != s.PerToken(0):
			s.pace = perToken
		}
	}
	if s.pace > 0 {
		s.paced++
	}
	switch {
	case overfull:
		s.keepTogether(d)
	case p.Zoned() && p.CrossingCosts():
		s.relieveInZone(cfg.CacheAware.Bound)
	default:
		s.relieve(cfg.CacheAware.Bound)
	}
	if !overfull {
		s.excuse(d)
		key = s.preferHome(of, key, arrived, total, d)
		if alone && int(most) > s.Shared() {
			s.leave(most, arrived, 1+waiting, each, d)
		}
	}
	s.blur()
	margin, key := s.spread(d, key)
	order = s.leastFirst(nearTie*prompt+margin, n, key)
	return order, s.reason(order[0]), s.cost[order[0]]
}

// keepTogether looks for endpoints with memory to spare, or with no request, among those that hold most of the prompt, or else for the fullest.
func (s *scan) keepTogether(d *decision.Decision) {
	most := int32(0)
	for i, depth := range s.view.depth {
		if s.class[i] == s.best {
			most = max(most, depth)
		}
	}
	var spare, none []int
	rest := []int{}
	live := make([]float64, len(s.class))
	for i, depth := range s.view.depth {
		used, all := s.UsedTokens(i, s.now)
		switch live[i] = used + s.Queue(i, s.now); {
		case s.class[i] != s.best:
		case depth < most:
			rest = append(rest, i)
		case s.Requests(i, s.now) < 1 || live[i]+d.Uncached(int(most)) <= half*all:
			spare = append(spare, i)
		default:
			none = append(none, i)
		}
	}
	if len(spare)+len(none) < 2 {
		return
	}
	if len(spare) == 0 && d.Uncached(int(most)) < mostNew*d.Tokens {
		return
	}
	s.together++
	if len(spare) > 0 {
		rest = append(rest, none...)
	} else {
		soon := func(i int) bool {
			return max(s.Queue(i, s.now), s.memory(i, d))*s.PerToken(i) <= float64(s.now-s.short)/1e9
		}
		fullest := -1.0
		for _, i := range none {
			if soon(i) {
				fullest = max(fullest, live[i])
			}
		}
		for _, i := range none {
			switch {
			case fullest < 0:
			case soon(i):
				s.cost[i] = fullest - live[i]
			default:
				s.passed++
				rest = append(rest, i)
			}
		}
	}
	for _, i := range rest {
		s.class[i] = max(s.class[i], over)
	}
}

// come is the most requests that come to endpoint i, by chance, while it is busy with so many tokens and with what comes.
func (s *scan) come(i int, tokens, arrived, total float64) float64 {
	perSecond := s.speed(i) / s.capacity / (recent.Span / 1e9)
	busy := min(total*perSecond*s.PerToken(i), 0.95)
	mean := arrived * perSecond * tokens * s.PerToken(i) / (1 - busy)
	return mean + 3*math.Sqrt(mean)
}

// decoding is the tokens that could be computed while the request's steps serve the responses under way: its first, and each 64th of an answer of
// mean length; and while as many of theirs serve it. Of each answer half has been written.
func (s *scan) decoding(i int, prompt float64) float64 {
	reads, unknown := s.Reads(i, s.now)
	n, answer := s.Requests(i, s.now), s.Answers.Mean()
	context := (reads + unknown*s.Stays.MeanTokens() + n*answer/2) / 667
	return (1+answer/64)*(n+context) + answer/64*n*(1+(prompt+answer/2)/667)
}

// tokens is what endpoint i is to compute of the prompt, with what it evicts before.
func (s *scan) tokens(i int, arrived float64, d *decision.Decision) float64 {
	tokens := s.view.toCompute(s.view.depth[i], arrived, s.evicted, d)
	own, rests := s.view.all[i], false // TestSummaries
	for j, c := range s.class {
		rests = rests || c == s.best && s.Requests(j, s.now) < 1
	}
	used, room := s.UsedTokens(i, s.now)
	if room > 0 && rests && int(s.view.depth[i]) > s.Shared() {
		left := max(room-used-max(own.Wanted+own.Others*s.Stays.MeanTokens(), s.Queue(i, s.now)), 0)
		if gone := s.Idle(&d.Flight, i, int(s.view.depth[i])) - left; gone > 0 {
			tokens += gone
			s.gone++
		}
	}
	return tokens
}

// memory is the tokens that could be computed before endpoint i has memory for the prompt.
func (s *scan) memory(i int, d *decision.Decision) float64 {
	used, room := s.UsedTokens(i, s.now)
	own := s.view.all[i] // TestSummaries
	short := 2*s.Answers.Mean()*math.Sqrt(s.Requests(i, s.now)+1) + used + max(own.Wanted+own.Others*s.Stays.MeanTokens(), s.Queue(i, s.now)) + s.ToHold(&d.Flight, i, int(s.view.depth[i]), s.now) - room
	if room == 0 || short <= 0 {
		return 0
	}
	running := max(s.Requests(i, s.now)-s.Unadmitted(i, s.now), 1)
	return max(short, used/running) / room * s.Residence(i) / s.PerToken(i)
}

func (s *scan) relieve(b config.Bound) {
	for again := true; again; {
		again = false
		for i, c := range s.class {
			requests := s.Requests(i, s.now)
			if others := requests - s.Counted(i); c == well && others > 0 && others >= s.most(i, b) {
				s.excess[i] = requests + 1 - s.most(i, b)
				s.class[i], s.apart[i], again = over, true, true
				s.size, s.requests = s.size-1, s.requests-requests
				s.capacity -= s.speed(i)
				s.all -= s.speed(i) * s.memorySize(i)
			}
		}
	}
	for i, c := range s.class {
		if c == well && s.Requests(i, s.now) >= s.most(i, b) {
			s.class[i], s.excess[i] = over, s.Requests(i, s.now)+1-s.most(i, b)
		}
	}
}

func (s *scan) relieveInZone(b config.Bound) {
	for _, away := range []bool{false, true} {
		zone := *s
		zone.requests, zone.apart = 0, make([]bool, len(s.class))
		for i, c := range s.class {
			if (c == well || c == over) && s.best == well && (away || !s.Away(i)) {
				zone.requests += s.Requests(i, s.now)
			} else {
				zone.apart[i] = true
			}
		}
		for i, c := range s.class {
			if c == well && s.Away(i) == away && s.Requests(i, s.now) >= zone.most(i, b) {
				s.class[i], s.excess[i] = over, s.Requests(i, s.now)+1-zone.most(i, b)
			}
		}
	}
}

// excuse takes those at their bound that hold so much more than all others.
func (s *scan) excuse(d *decision.Decision) {
	var compute, wait []float64 // where a part is held
	for i, depth := range s.view.depth {
		if s.class[i] == well && depth > 0 {
			compute, wait = append(compute, d.Uncached(int(depth))), append(wait, d.Uncached(int(depth))+s.Queue(i, s.now)*s.PerToken(i)/s.Usual())
		}
	}
	for i, depth := range s.view.depth {
		elsewhere := d.Uncached(0)
		if len(compute) > 0 {
			queued := s.Queue(i, s.now) * s.PerToken(i) / s.Usual()
			if int(depth) <= s.Shared() || s.Company() >= others.Accompanied {
				queued = math.Inf(1)
			}
			elsewhere = min(elsewhere, max(slices.Min(compute), slices.Min(wait)-queued))
		}
		if s.class[i] == over && elsewhere-d.Uncached(int(depth)) > crowded*s.excess[i] {
			s.class[i], s.cost[i] = well, s.cost[i]+crowded*s.excess[i]
			s.excused++
		}
	}
}

// common is how many leading blocks more than half of the endpoints that bear the load hold.
func (s *scan) common(blocks int) int {
	for n := blocks; n > 0; n-- {
		holders := 0
		for i, c := range s.class {
			if c == s.best && int(s.view.depth[i]) >= n {
				holders++
			}
		}
		if holders*2 > s.size {
			return n
		}
	}
	return 0
}

// preferHome is the key that then decides between equal costs.
func (s *scan) preferHome(of *prompt.Prompt, key uint64, arrived, total float64, d *decision.Decision) uint64 {
	likely, shared := s.Company(), s.Meets(&d.Flight, s.size, s.now)
	if likely <= 0 {
		return key
	}
	if parted := s.Parted(); shared == s.Shared() && parted > shared && parted < d.Total && of.SessionFrom == prompt.FirstUserTurn &&
		2*d.Chain.Covered(parted) <= of.Size() && of.Size() > of.SystemLen+len(of.Session)+goneOn {
		shared = parted
		s.parted++
	}
	known := int(slices.Max(s.view.depth)) > shared
	if known {
		likely *= s.Hidden(&d.Flight)
	}
	if d.Total > 0 {
		key = of.Hash(d.Seed, min(shared, d.Total-1))
	}
	walk := s.Ring.FromBy(key, s.Places())
	for i, ok := walk.Next(); ok; i, ok = walk.Next() {
		if s.class[i] == s.best {
			if known {
				fair := total * s.fairWork(i)
				above := (s.view.given[i] - fair) / (fair + d.Tokens)
				price := 1 + s.Requests(i, s.now)/16 + min(above, 1)
				s.cost[i] -= likely * s.uncached[i] * max(price, 1)
			} else {
				s.cost[i] -= likely * d.Uncached(int(s.view.depth[i]))
			}
			return key
		}
	}
	return key
}

// leave lowers the costs elsewhere of a prompt that loses something where it is held.
func (s *scan) leave(most int32, arrived, least float64, each []float64, d *decision.Decision) {
	home := slices.Index(s.view.depth, most)
	for home >= 0 && s.class[home] != s.best {
		next := slices.Index(s.view.depth[home+1:], most)
		if home += 1 + next; next < 0 {
			return
		}
	}
	fresh := d.Uncached(s.Index.Seen(d.Chain.Hash))
	again := func(i int) float64 { return max(s.uncached[i]-fresh, 0) }
	if again(home) == 0 && s.memory(home, d) <= s.Queue(home, s.now) {
		return
	}
	capacity, known := s.Index.Capacity(home)
	if s.OtherRequests()/60/float64(max(s.view.shares.size, 1))*float64(d.Chain.Hash[d.Total-1]>>32) > 1<<32 {
		return
	}
	part := min(relief*float64(d.Bytes())/float64(capacity), 1)
	for i := range s.cost {
		if i == home || s.class[i] != s.best || s.sure[home] == 0 || !known {
			continue
		}
		cost, price := again(i)*each[i], again(i)*max(each[i], least)
		if lost := (s.sure[home]-s.thrash[i])*part - (price - cost); lost > 0 {
			s.cost[i] -= min(cost, lost)
			s.left++
		}
	}
}

func (s *scan) blur() {
	at := view{pool: s.Pool, class: s.class, best: s.best, cost: s.cost, depth: s.view.depth}
	at.blur(s.now)
}

func (s *scan) spread(d *decision.Decision, key uint64) (margin float64, other uint64) {
	at := view{pool: s.Pool, class: s.class, best: s.best}
	copied := *d
	copied.Key = key
	margin = at.spread(&copied, s.now)
	return margin, copied.Key
}

// leastFirst takes endpoints one by one: all that cost the least, but for the margin, and of those the first on the ring.
func (s *scan) leastFirst(margin float64, n int, key uint64) (order []int) {
	for c := well; c < classes; c++ {
		for len(order) < n {
			least := math.Inf(1)
			for i, cost := range s.cost {
				if s.class[i] == c && !slices.Contains(order, i) {
					least = min(least, cost)
				}
			}
			found := false
			for _, away := range []bool{false, true} {
				walk := s.Ring.From(key)
				for i, ok := walk.Next(); ok && !found; i, ok = walk.Next() {
					if found = s.Away(i) == away && s.class[i] == c && s.cost[i] <= least+margin && !slices.Contains(order, i); found {
						order = append(order, i)
					}
				}
			}
			if !found {
				break
			}
		}
	}
	return order
}

func (s *scan) reason(first int) decision.Reason {
	most := int32(0)
	for i, depth := range s.view.depth {
		if s.class[i] == over && s.cost[i] < s.cost[first] {
			if s.Health.Barren(i) {
				return decision.Barren
			}
			return decision.Bounded
		}
		if s.class[i] <= over {
			most = max(most, depth)
		}
	}
	switch {
	case most == 0:
		return decision.ByLoad
	case s.view.depth[first] == most:
		return decision.ByMatch
	}
	return decision.Relieved
}

// What is prepared and passed over decides as a scan of all endpoints, in any state of the pool.
func TestPickIsAScan(t *testing.T) {
	reasons, foreign, together, passed, excused, left, paced, parted, gone := map[decision.Reason]int{}, 0, 0, 0, 0, 0, 0, 0, 0
	for _, n := range []int{1, 2, 3, 8, 40, 130} {
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			cfg := setup{policy: config.PolicyCacheAware, replicas: n, change: func(c *config.Config) {
				c.Steer.Candidates = 2 + random.IntN(4)
				c.Zone, c.CrossZone = []string{"", "a", "a"}[seed], int64(random.IntN(2)*1e7)
			}}.config()
			s := scan{rig: newRig(cfg, 1)}
			now, open := int64(1e12), []*decision.Decision(nil)
			for step := range 600 {
				now += random.Int64N(1e8)
				disturb(s.rig, random, now)
				for len(open) > 0 && random.IntN(3) > 0 {
					at := random.IntN(len(open))
					d := open[at]
					s.firstToken(d, now)
					s.end(d, now, pool.Outcome{Ending: []health.Ending{0, 0, 0, 0, 0, 0, health.Failed, health.Cancelled}[random.IntN(8)], Usage: true,
						PromptTokens: max(d.Bytes()/4, 1), CachedTokens: []int{0, d.Matched * 16, d.Bytes() / 4}[random.IntN(3)]})
					open = slices.Delete(open, at, at+1)
				}
				of := chat(random.IntN(20), random.IntN(20))
				if random.IntN(3) == 0 {
					of.Model = []byte("adapter")
				}
				s.thrash, s.sure = s.thrash[:0], s.sure[:0]
				for i := range s.Endpoints {
					all, sure := s.Thrash(i, now)
					s.thrash, s.sure = append(s.thrash, all), append(s.sure, sure)
				}
				if seed > 0 { // most of what comes back is still held
					s.Returns.Note(traffic.Returning{All: 2e4, Found: 1e4}, 1e4)
				}
				d := new(decision.Decision)
				s.Pick(&decision.Request{Prompt: of, Now: now}, d)
				s.now = now
				order, reason, cost := s.decide(of, d, min(cfg.Steer.Candidates, s.Size()), cfg)
				if d.Reason == decision.Probe {
					order, reason = d.Order, decision.Probe
				}
				weighed := len(d.Terms) > 0 && d.Terms[0].Name == "cost_tokens" && reason != decision.Probe
				if !slices.Equal(d.Order, order) || d.Reason != reason || weighed && math.Abs(d.Terms[0].Value-cost) > 1e-6 {
					t.Fatalf("%d endpoints, seed %d, step %d: %v by %v, %v; a scan takes %v by %v, %v", n, seed, step, d.Order, d.Reason, d.Terms, order, reason, cost)
				}
				reasons[reason]++
				if s.Company() > 0 {
					foreign++
				}
				s.begin(d, now)
				open = append(open, d)
			}
			together, passed, excused, left = together+s.together, passed+s.passed, excused+s.excused, left+s.left
			paced, parted, gone = paced+s.paced, parted+s.parted, gone+s.gone
		}
	}
	for _, want := range []decision.Reason{decision.Bounded, decision.ByLoad, decision.ByMatch, decision.Relieved, decision.Probe} {
		if reasons[want] == 0 {
			t.Errorf("no decision by %v: %v", want, reasons)
		}
	}
	if together == 0 {
		t.Error("no decision in an overfull pool")
	}
	if passed == 0 {
		t.Error("no endpoint was passed over for its queue")
	}
	if excused == 0 {
		t.Error("no endpoint was taken above its bound")
	}
	if left == 0 {
		t.Error("no conversation could leave")
	}
	if parted == 0 {
		t.Error("no place was found where one chain has parted from another")
	}
	if gone == 0 {
		t.Error("nothing was evicted before a prompt came to its turn")
	}
	if paced == 0 {
		t.Error("no bound went by speed")
	}
	if foreign == 0 {
		t.Error("no decision in sight of other gateways")
	}
}

// disturb reports something that is not one of the router's own requests.
func disturb(r rig, random *rand.Rand, now int64) {
	i := random.IntN(len(r.Endpoints))
	switch random.IntN(12) {
	case 0:
		r.SetWorkers(i, random.IntN(9)+40*random.IntN(2), float64(random.IntN(2)*5000), queue.Line{Queued: float64(random.IntN(2) * 1000)})
	case 1:
		r.SetGatewayRequests(float64(random.IntN(200)), now-random.Int64N(1e9))
		r.SetGatewayLoad(i, float64(random.IntN(2)), 6000, queue.Line{Queued: 300})
	case 2:
		r.ClearGateways()
	case 3, 4:
		r.ApplyMetrics(i, now, &exposition.Load{Has: tellsMemory | exposition.HasAdapters,
			Running: float64(random.IntN(9)), Waiting: float64(random.IntN(4)), KVTokens: []float64{1e5, 300}[random.IntN(2)], KVUsage: random.Float64(),
			AdapterSlots: 2, Adapters: [exposition.MaxAdapters]uint32{exposition.Adapter([]byte("adapter")) * uint32(random.IntN(2))}})
	case 5:
		r.SetState(i, random.IntN(9) == 0, random.IntN(4) == 0, now)
	case 6:
		if r.Size() > 1 && random.IntN(4) == 0 {
			r.Remove(i)
		} else {
			r.Place(i, config.Endpoint{Address: fmt.Sprintf("10.1.0.%d:80", i), Weight: 1 + random.IntN(2), Zone: []string{"a", "b"}[random.IntN(2)]}, now)
		}
	case 7:
		r.Tick(now)
	case 8:
		r.answer(i, now, []health.Ending{health.Answered, health.Refused}[random.IntN(2)])
	}
}
