package load

import "testing"

// fail ends n requests of endpoint 0 in that way, and returns after how many it was down; 0: it was not.
func fail(table *Table, now int64, n int, how Ending) int {
	for i := range n {
		table.Begin(0, now, 1, true)
		if table.End(0, now, how) {
			return i + 1
		}
	}
	return 0
}

func TestFailingEndpointsGoDown(t *testing.T) {
	for _, c := range []struct {
		how  Ending
		want int
	}{{Answered, 0}, {Cancelled, 0}, {Failed, 3}, {Broken, 3}, {Refused, 2}, {TimedOut, 0}} {
		table := NewTable(2)
		fail(table, 0, 50, Answered)
		if got := fail(table, second, 50, c.how); got != c.want || table.Down(0) != (c.want > 0) {
			t.Errorf("ending %d: down after %d, want %d", c.how, got, c.want)
		}
		if table.InFlight(0) != 0 {
			t.Errorf("ending %d: %d in flight", c.how, table.InFlight(0))
		}
	}
}

func TestRareFailuresAreNoReason(t *testing.T) {
	table := NewTable(1)
	for i := range 1000 {
		how := Answered
		if i%10 == 0 {
			how = Failed
		}
		if fail(table, second, 1, how) > 0 {
			t.Fatalf("down at request %d of which a tenth fails", i)
		}
	}
	if f := table.Failing(0, second); f > 0.35 {
		t.Errorf("failing %v", f)
	}
}

func TestProbesBackOffAndBringBack(t *testing.T) {
	table := NewTable(2)
	fail(table, 0, 3, Failed)
	now := int64(0)
	for _, pause := range []int64{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := table.Probe(now + pause*second - 1); got != -1 {
			t.Fatalf("a probe of %d before its %d s have passed", got, pause)
		}
		now += pause * second
		if got := table.Probe(now); got != 0 {
			t.Fatalf("no probe after %d s", pause)
		}
		table.Begin(0, now, 1, true)
		if got := table.Probe(now + 1); got != -1 {
			t.Fatal("a second probe while one is under way")
		}
		table.End(0, now, Failed)
	}
	now += 60 * second
	table.Begin(1, now, 9000, true)
	table.Begin(0, now, 1, true)
	table.End(0, now, Answered)
	if table.Down(0) || table.Failing(0, now) != 0 || table.Probe(now+100*second) != -1 {
		t.Error("a good answer to a probe does not bring the endpoint back")
	}
	if _, tokens := table.Work(0, now); tokens != 9000 {
		t.Errorf("back with %v tokens of work; want as much as the others, 9000", tokens)
	}
}

func TestOldAnswersDoNotBringBack(t *testing.T) {
	table := NewTable(1)
	table.Begin(0, 0, 1, true) // a long stream
	fail(table, 0, 2, Refused)
	if table.End(0, 0, Answered); !table.Down(0) {
		t.Error("an answer begun before the failures brought the endpoint back")
	}
}

func TestDrainingIsNotProbed(t *testing.T) {
	table := NewTable(1)
	fail(table, 0, 3, Failed)
	if table.SetState(0, false, true, 100*second); table.Probe(100*second) != -1 || !table.Draining(0) {
		t.Error("a draining endpoint is probed")
	}
}

func TestFailuresAreForgiven(t *testing.T) {
	table := NewTable(1)
	fail(table, 0, 1, Failed)
	if soon, late := table.Failing(0, 0), table.Failing(0, 60*second); soon != 0.3 || late > 0.001 {
		t.Errorf("failing %v, a minute later %v; want 0.3 and about 0", soon, late)
	}
}

// A clock that was set back by an hour keeps nobody down for that hour, and makes no page of metrics new for it.
func TestClockSetBack(t *testing.T) {
	table, now := NewTable(2), 7200*second
	fail(table, now, 3, Failed)
	table.Scraped(1, now, &Sample{Has: HasRunning | HasWaiting, Running: 90})
	now -= 3600 * second
	if got := table.Probe(now); got != 0 {
		t.Errorf("the endpoint that is down is not probed, but %d", got)
	}
	table.Begin(0, now, 1, true)
	if got := table.Probe(now); got != -1 {
		t.Error("two probes at a time")
	}
	if got := table.Busy(1, now); got != 0 {
		t.Errorf("%v requests, as a page from another time says; want our own 0", got)
	}
}
