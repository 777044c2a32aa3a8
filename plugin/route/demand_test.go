package route

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

// about is a prompt of a text of so many turns and a question of its own.
func about(turns, question int) *prompt.Prompt {
	p := chat(1, turns)
	p.Text = append(p.Text, fmt.Sprintf("%0512d", question)...)
	p.BodyBytes = len(p.Text)
	return p
}

// A long beginning that most prompts share comes to all endpoints though none is busy, if they wait for each other now and then; one that comes now and then stays
// where it is.
func TestHotBeginningSpreads(t *testing.T) {
	for _, c := range []struct {
		name        string
		every       int64
		least, most int // endpoints that hold it in the end
	}{
		{"20 a second", second / 20, 8, 8},
		{"one in 20 seconds", 20 * second, 1, 2},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 8}.config(), 1)
		open := []*decision.Decision{}
		at := map[int]bool{}
		for i := range 1200 {
			now := second + int64(i)*c.every
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: about(64, i), Now: now}, d)
			at[d.Order[0]] = true
			r.begin(d, now)
			if open = append(open, d); len(open) > 1 { // each waits for as long as the next takes to come
				r.firstToken(open[len(open)-2], now)
			}
			if len(open) > 8 {
				r.end(open[0], now, pool.Outcome{Ending: health.Answered})
				open = open[1:]
			}
		}
		if len(at) < c.least || len(at) > c.most {
			t.Errorf("%s: held by %d endpoints, want %d to %d", c.name, len(at), c.least, c.most)
		}
	}
}

// Many prompts that begin alike within seconds, and are long in being answered, get more endpoints than as many that come over minutes.
func TestBurstOnOneBeginningSpreads(t *testing.T) {
	holders := func(every int64) int {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 8}.config(), 1)
		at := map[int]bool{}
		for i := range int64(80) {
			now := second + i*every
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: about(20, int(i)), Now: now}, d)
			at[d.Order[0]] = true
			r.begin(d, now)
			r.firstToken(d, now+second/100)
			if every > second {
				r.end(d, now+every, pool.Outcome{Ending: health.Answered})
			}
		}
		return len(at)
	}
	if burst, slowly := holders(second/20), holders(5*second); burst < 8 || slowly > 2 {
		t.Errorf("%d endpoints hold it after a burst, %d after as many one by one; want all 8 and 2 at most", burst, slowly)
	}
}

// A client that asks again and again behind a text of its own, one prompt after the other, has it at one endpoint; where its prompts wait for each
// other, at more.
func TestOwnBeginningsSpreadWhereTheyWait(t *testing.T) {
	holders := func(wait int64) int {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 8}.config(), 1)
		at := map[int]bool{}
		type open struct {
			d    *decision.Decision
			till int64
		}
		var waiting []open
		for i := range int64(80) {
			now := second + i*second/4
			for len(waiting) > 0 && waiting[0].till <= now {
				r.firstToken(waiting[0].d, waiting[0].till)
				r.end(waiting[0].d, waiting[0].till, pool.Outcome{Ending: health.Answered})
				waiting = waiting[1:]
			}
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1, 20), Now: now}, d)
			at[d.Order[0]] = true
			r.begin(d, now)
			waiting = append(waiting, open{d, now + wait})
		}
		return len(at)
	}
	if alone, together := holders(second/5), holders(2*second); alone > 1 || together < 2 {
		t.Errorf("%d endpoints hold what prompts begin with that come one by one, %d what they wait for together; want 1, and 2 at least", alone, together)
	}
}
