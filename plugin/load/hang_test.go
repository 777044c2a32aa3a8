package load

import "testing"

// lives lets a pool of n endpoints serve for so many seconds; each gets a prompt of 1,000 tokens a second and answers the
// oldest when answers says so.
func lives(table *Table, n, seconds int, answers func(endpoint, second int) bool) (mostDown int) {
	for s := 1; s <= seconds; s++ {
		now := int64(s) * second
		table.Tick(now)
		down := 0
		for i := range n {
			if table.Down(i) {
				down++
				continue
			}
			table.Begin(i, now, 1000, true)
			if answers(i, s) {
				table.FirstToken(i, now, 1000)
			}
		}
		mostDown = max(mostDown, down)
	}
	return mostDown
}

func TestWhatHangsIsFound(t *testing.T) {
	table := NewTable(4)
	lives(table, 4, 300, func(i, _ int) bool { return i != 2 })
	for i := range 4 {
		if got, want := table.Down(i), i == 2; got != want {
			t.Errorf("endpoint %d is down: %v, want %v", i, got, want)
		}
	}
	now := int64(400) * second
	if got := table.Probe(now); got != 2 {
		t.Fatalf("probe of %d, want 2", got)
	}
	table.Begin(2, now, 1, true)
	if table.End(2, now, Answered); table.Down(2) {
		t.Error("an answered probe does not bring it back")
	}
}

// A fleet that is slow together is never reduced, however slow, and of one in which most hang a tenth is out at most.
func TestSlowIsNotDead(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, most int
		answers func(i, s int) bool
	}{
		{"all answer every ten minutes", 8, 0, func(_, s int) bool { return s%600 == 599 }},
		{"one answers every half minute", 8, 0, func(i, s int) bool { return i != 3 || s%30 == 0 }},
		{"nobody answers", 8, 0, func(int, int) bool { return false }},
		{"one alone hangs", 1, 0, func(int, int) bool { return false }},
		{"three of eight hang", 8, 1, func(i, _ int) bool { return i > 2 }},
		{"five of forty hang", 40, 4, func(i, _ int) bool { return i > 4 }},
	} {
		if got := lives(NewTable(c.n), c.n, 3600, c.answers); got != c.most {
			t.Errorf("%s: %d out, want %d", c.name, got, c.most)
		}
	}
}

// What waits long at an endpoint may take long: ten times the work that is queued there.
func TestLongQueuesHaveTheirTime(t *testing.T) {
	table := NewTable(3)
	table.Begin(0, second, 1_000_000, true) // 100 s at the assumed rate
	table.Begin(0, second, 1, true)
	for s := int64(1); s <= 1002; s++ {
		table.Begin(1, s*second, 1, true)
		table.FirstToken(1, s*second, 1)
		if table.Tick(s * second); table.Down(0) != (s > 1001) {
			t.Fatalf("after %d s down: %v", s, table.Down(0))
		}
	}
}

// A client that holds its upload back makes nothing hang: the replica has not seen the request.
func TestHeldUploads(t *testing.T) {
	for name, hold := range map[string]func(*Table, int64){
		"one request": func(table *Table, now int64) {
			if now == second {
				table.Begin(0, now, 1, true)
			}
		},
		"many, which its metrics do not show": func(table *Table, now int64) {
			table.Begin(0, now, 1, true)
			table.Scraped(0, now, &Sample{Has: HasRunning | HasWaiting})
		},
		"many that are given up": func(table *Table, now int64) {
			table.Begin(0, now, 1, true)
			table.Withdraw(0, now, 1)
			table.End(0, now, Cancelled)
		},
	} {
		table := NewTable(2)
		for s := int64(1); s <= 1000; s++ {
			hold(table, s*second)
			table.Begin(1, s*second, 1, true)
			table.FirstToken(1, s*second, 1)
			table.Tick(s * second)
		}
		if table.Down(0) {
			t.Errorf("%s: down", name)
		}
	}
}
