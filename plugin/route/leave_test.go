package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
)

// turn sends a conversation's next turn, and says where it went. A response takes two seconds.
func (r rig) turn(session, turns int, now int64) int {
	d := decide(r, session, turns, now)
	r.firstToken(d, now+second)
	r.end(d, now+2*second, pool.Outcome{Ending: pool.Answered})
	return d.Endpoint()
}

// Two conversations at one endpoint, of 10,000 tokens each, of which its memory holds 18,500, evict a part of each other with each
// turn. No turn is worth a move, but they do not stay for ever: once they have lost what it costs, one leaves, and only one. What others
// tell that such conversations lost at their gateways counts, too.
func TestOneLeavesWhereTwoDoNotFit(t *testing.T) {
	for _, c := range []struct {
		room   float64
		others pool.Thrash
		leaves bool
	}{{room: 18_500, leaves: true}, {room: 18_500, others: pool.Thrash{Times: 18, Tokens: 50_000}, leaves: true}, {room: 25_000}} {
		r := routerOf(config.PolicyCacheAware, 3)
		now := 1000 * second
		for i := range 3 {
			r.SetCache(i, c.room)
		}
		const turns = 312
		for session := 1; session <= 2; session++ {
			d := new(Decision)
			r.Pick(&Request{Prompt: chat(session, turns), Now: now}, d)
			r.Begin(&d.Flight, 0, now)
			r.firstToken(d, now+second)
			r.end(d, now+2*second, pool.Outcome{Ending: pool.Answered})
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
