package route

import (
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/traffic"
)

// turn sends a conversation's next turn, and says where it went. A response takes two seconds.
func (r rig) turn(session, turns int, now int64) int {
	d := decide(r, session, turns, now)
	r.firstToken(d, now+second)
	r.end(d, now+2*second, pool.Outcome{Ending: health.Answered})
	return d.Endpoint()
}

// Two conversations at one endpoint, of 10,000 tokens each, of which its memory holds 18,500, evict a part of each other with each
// turn. No turn is worth a move, but they do not stay for ever: once they have lost what it costs, one leaves, and only one. What others
// tell that such conversations lost at their gateways counts, too.
func TestOneLeavesWhereTwoDoNotFit(t *testing.T) {
	for _, c := range []struct {
		room   float64
		others traffic.Thrash
		leaves bool
	}{{room: 18_500, leaves: true}, {room: 18_500, others: traffic.Thrash{Times: 18, Tokens: 50_000}, leaves: true}, {room: 25_000}} {
		r := routerOf(config.PolicyCacheAware, 3)
		now := 1000 * second
		for i := range 3 {
			r.SetCache(i, c.room)
		}
		const turns = 312
		for session := 1; session <= 2; session++ {
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(session, turns), Now: now}, d)
			r.Begin(&d.Flight, 0, now)
			r.firstToken(d, now+second)
			r.end(d, now+2*second, pool.Outcome{Ending: health.Answered})
			now += 100 * second
		}
		at, moves, first := [3]int{}, 0, 0
		for k := range 120 {
			r.SetOthersSpeed(0, &pool.Speed{Thrash: c.others})
			session := 1 + k%2
			if i := r.turn(session, turns+k/8, now); i != at[session] {
				at[session] = i
				if moves++; moves == 1 {
					first = k
				}
			}
			now += 10 * second
		}
		switch {
		case !c.leaves && moves > 0:
			t.Errorf("where both fit, one left at turn %d", first)
		case c.leaves && moves != 1:
			t.Errorf("%d moves, the first at turn %d; they are at %v: want one to leave", moves, first, at[1:])
		case c.leaves && (first < 6) != (c.others.Times > 0):
			t.Errorf("where others have lost %+v, one left at turn %d", c.others, first)
		}
	}
}

// Until all are told of one that has left, others may leave for the same losses. So where many requests come elsewhere meanwhile, each may
// with such a chance that about one does. (Of the conversations of KubeAI's 70B case through 16 gateways so many left at once that a tenth
// fewer were answered.)
func TestAboutOneLeaves(t *testing.T) {
	for _, c := range []struct {
		come     float64 // of other gateways, in the last minute
		from, to int     // of 1,000
	}{{0, 1000, 1000}, {100, 1000, 1000}, {1800, 80, 120}} { // 10 a second at each of three endpoints
		r := routerOf(config.PolicyCacheAware, 3)
		now := 1000 * second
		for i := range 3 {
			r.SetCache(i, 18_500)
		}
		for session := 1; session <= 2; session++ {
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(session, 312), Now: now}, d)
			r.Begin(&d.Flight, 0, now)
			r.firstToken(d, now+second)
			r.end(d, now+2*second, pool.Outcome{Ending: health.Answered})
			now += 100 * second
		}
		r.SetOthersSpeed(0, &pool.Speed{Thrash: traffic.Thrash{Times: 100, Tokens: 1e9}})
		r.SetGatewayRequests(c.come, now)
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, 313), Now: now}, d)
		p, leave := r.Router.chosen.(*cacheAware), 0
		most, _ := p.view.holders()
		for k := range uint64(1000) {
			d.Chain.Hash[d.Total-1] = k << 54 // of 1,024 even ones
			before := slices.Clone(p.view.cost)
			p.leave(most, d, now)
			if !slices.Equal(before, p.view.cost) {
				leave++
			}
			copy(p.view.cost, before)
		}
		if leave < c.from || leave > c.to {
			t.Errorf("where %v others come in a minute %d of 1,000 may leave, want %d to %d", c.come, leave, c.from, c.to)
		}
	}
}
