package gossip

import (
	"testing"

	"warmroute/plugin/news"
)

// An ask waits unless there is a request to tell of: not of the asker's own, nor of a third gateway's.
func TestPatience(t *testing.T) {
	m := newMesh(t, 3)
	m.run(8)
	a, b, c := m.gateways[0], m.gateways[1], m.gateways[2]
	armed := 0
	arm := func() { armed++ }
	ask := func() (hold int64, fresh bool) {
		t.Helper()
		armed = 0
		at := news.Ask{From: a.own, Number: 1, Dialect: a.dialect, Of: b.own, Hold: 200}
		for i := range a.peers {
			if a.peers[i].address == b.at {
				at.At = a.peers[i].at
			}
		}
		hold, fresh, fault := b.Patience(at.Append(nil, a.keys[0]), arm, m.now)
		if fault != "" || armed != 1 {
			t.Fatalf("fault %q, armed %d times", fault, armed)
		}
		return hold, fresh
	}
	if hold, fresh := ask(); hold != 200*ms || fresh {
		t.Errorf("where nothing is new: %d ms, %v; want 200, false", hold/ms, fresh)
	}
	m.send(b, 0, 1, 100)
	if hold, fresh := ask(); hold != 200*ms || !fresh {
		t.Errorf("where a request is: %d ms, %v; want 200, true", hold/ms, fresh)
	}
	m.run(4)
	if _, fresh := ask(); fresh {
		t.Error("what has been told is new")
	}
	m.send(a, 0, 2, 100)
	m.send(c, 1, 3, 100)
	m.run(4)
	if _, fresh := ask(); fresh || !b.holds(0, 2) || !b.holds(1, 3) {
		t.Errorf("others' requests are new: %v", fresh)
	}
	armed = 0
	for name, q := range map[string]news.Ask{
		"an ask to be answered at once": {From: a.own, Dialect: a.dialect, Of: b.own},
		"for a snapshot":                {From: a.own, Dialect: a.dialect, Of: b.own, Hold: 200, Snapshot: true},
		"for relays":                    {From: a.own, Dialect: a.dialect, Of: b.own, Hold: 200, Relay: true},
		"its own":                       {From: b.own, Dialect: a.dialect, Of: b.own, Hold: 200},
		"of a former run":               {From: a.own, Dialect: a.dialect, Of: b.own + 1, Hold: 200},
	} {
		if hold, _, fault := b.Patience(q.Append(nil, a.keys[0]), arm, m.now); hold != 0 || fault != "" || armed > 0 {
			t.Errorf("%s: %d ms, %q", name, hold/ms, fault)
		}
	}
	q := news.Ask{From: a.own, Dialect: a.dialect, Of: b.own, Hold: 200}
	if hold, _, fault := b.Patience(q.Append(nil, news.NewKey("another secret")), arm, m.now); hold != 0 || fault != Secret || armed > 0 {
		t.Errorf("a stranger's ask: %d ms, %q, armed %d times", hold/ms, fault, armed)
	}
}

func TestBudget(t *testing.T) {
	var b Budget
	took := func(now int64) (n int) {
		for b.Take(now, perSecond) {
			n++
		}
		return n
	}
	if n := took(start); n != inARow {
		t.Errorf("%d in a row, want %d", n, inARow)
	}
	if n := took(start + 1e8); n < perSecond/10-1 || n > perSecond/10 {
		t.Errorf("a tenth of a second later %d, want %d", n, perSecond/10)
	}
	if from := b.From(start+1e8, perSecond); from <= start+1e8 || b.Take(from-2, perSecond) || !b.Take(from+2, perSecond) {
		t.Errorf("the next one is said to be there %d µs later, and is not, or before", (from-start-1e8)/1000)
	}
	if n := took(start + 100e9); n != inARow {
		t.Errorf("after a pause %d in a row, want %d", n, inARow)
	}
	if n := took(start); n != inARow {
		t.Errorf("where the clock was set back %d, want %d", n, inARow)
	}
}

// News go one by one while they are few, and together where they come fast; however many gateways ask, none waits too long.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		requests float64
		others   int
		want     float64
	}{{0, 1, perSecond}, {60. / 4, 3, perSecond}, {60. / 32, 31, perSecond}, {125, 3, fewest}, {50, 3, perSecond}, {80, 3, perSecond - 40}, {1e6, 1, fewest}, {1e6, 7, 140}, {1e6, 255, perSecond}} {
		if got := Answers(c.requests, c.others); got != c.want {
			t.Errorf("%v requests a second, %d others: %v, want %v", c.requests, c.others, got, c.want)
		}
	}
}
