package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
)

// What was computed counts, not what was expected.
func TestSettle(t *testing.T) {
	r := New(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
	d := new(Decision)
	r.Pick(&Request{Prompt: chat(1, 9), Now: second}, d)
	r.Begin(d, second)
	expected := d.tokens
	if got := r.long.tokens[d.endpoint]; got != expected {
		t.Fatalf("begun: %v tokens given, want %v", got, expected)
	}
	r.Answered(d, second, Outcome{Ending: load.Answered, Usage: true, PromptTokens: 1000, CachedTokens: 900})
	if _, work := r.Load.Work(d.endpoint, second); r.long.tokens[d.endpoint] != 100 || work != 100 {
		t.Errorf("answered: %v tokens in the long run and %v lately, want 100", r.long.tokens[d.endpoint], work)
	}
}

// Who comes back is neither flooded nor starved: it stands where the others do, for its weight.
func TestJoinStandsWithTheOthers(t *testing.T) {
	r := New(setup{policy: config.PolicyCacheAware, replicas: 3}.config(), 1)
	r.Load.SetWeight(2, 2)
	r.long.give(0, 300)
	r.long.give(1, 500)
	r.join(2, false)
	if got := r.long.tokens[2]; got != 800 {
		t.Errorf("joined with %v tokens, want 800: the others have 400 for each unit of weight", got)
	}
}

// The long run forgets, and evens out what the last minute does not show.
func TestLongRunEvens(t *testing.T) {
	r := New(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
	r.long.give(0, 1000)
	r.long.fade(longSpan)
	if got := r.long.tokens[0]; got < 367 || got > 368 {
		t.Errorf("after its span %v of 1,000 are left, want 1 ÷ e", got)
	}
	for session := range 20 {
		d := new(Decision)
		r.Pick(&Request{Prompt: chat(session, 3), Now: longSpan}, d)
		if d.Order[0] != 1 {
			t.Errorf("session %d goes to the endpoint that was given all in the long run", session)
		}
	}
}

// The same prompt again and again, and a conversation that grows fast, stay where they are if there is nothing else: to
// move them evens out less than it costs.
func TestAloneStays(t *testing.T) {
	for _, replicas := range []int{2, 3, 8} {
		for _, every := range []int64{second / 20, second / 2, 5 * second} {
			for _, grows := range []int{0, 1, 8} {
				r := New(setup{policy: config.PolicyCacheAware, replicas: replicas}.config(), 1)
				home := -1
				for turn := range 200 {
					now, blocks := second+int64(turn)*every, 16+grows*turn
					d := new(Decision)
					r.Pick(&Request{Prompt: chat(1, blocks), Now: now}, d)
					r.Begin(d, now)
					r.Answered(d, now+every/2, Outcome{Ending: load.Answered, Usage: true, PromptTokens: blocks*64 + 20, CachedTokens: d.Chain.Covered(d.Matched)})
					if turn > 0 && d.Order[0] != home {
						t.Fatalf("%d replicas, every %v ms, %d blocks a turn: turn %d goes to %d, the one before to %d", replicas, every/1e6, grows, turn, d.Order[0], home)
					}
					home = d.Order[0]
				}
			}
		}
	}
}

// In an idle pool a conversation stays where it is, however large its share of what was given.
func TestIdlePoolKeepsConversations(t *testing.T) {
	for _, replicas := range []int{2, 8, 64} {
		r := New(setup{policy: config.PolicyCacheAware, replicas: replicas}.config(), 1)
		home := -1
		for turn := range 12 {
			now := int64(turn+1) * 5 * second
			d := new(Decision)
			r.Pick(&Request{Prompt: chat(1, 8*(turn+1)), Now: now}, d)
			r.Begin(d, now)
			r.Answered(d, now+second, Outcome{Ending: load.Answered})
			if turn > 2 && d.Order[0] != home {
				t.Errorf("%d replicas: turn %d goes to %d, the one before to %d", replicas, turn, d.Order[0], home)
			}
			home = d.Order[0]
		}
	}
}
