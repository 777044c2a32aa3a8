package load

import "testing"

func TestTableCounts(t *testing.T) {
	table := NewTable(2)
	table.Acquire(1)
	table.Acquire(1)
	table.Acquire(0)
	table.Release(1)
	if table.InFlight(0) != 1 || table.InFlight(1) != 1 || table.Total() != 2 {
		t.Errorf("got %d, %d, total %d; want 1, 1, total 2", table.InFlight(0), table.InFlight(1), table.Total())
	}
}

func TestReleaseStopsAtZero(t *testing.T) {
	table := NewTable(1)
	table.Release(0)
	table.Acquire(0)
	if table.InFlight(0) != 1 || table.Total() != 1 {
		t.Errorf("after a stray release and an acquire: got %d, total %d; want 1, 1", table.InFlight(0), table.Total())
	}
}
