package load

import (
	"slices"
	"testing"
)

const second = int64(1e9)

func TestSlotSize(t *testing.T) {
	if got := SlotSize(64); got != 148 {
		t.Errorf("64 endpoints: got %d bytes, want 148", got)
	}
	for _, n := range []int{0, 1, 64, MaxSlotEndpoints} {
		if got := len(AppendSlot(nil, 1, 2, 3, make([]int, n))); got != SlotSize(n) {
			t.Errorf("%d endpoints: got %d bytes, want %d", n, got, SlotSize(n))
		}
	}
}

func TestSumOfSlots(t *testing.T) {
	now := 1000 * second
	generation := Generation(0).With("a").With("b").With("c")
	live := func(owner uint32, age int64, counts ...int) []byte {
		return AppendSlot(nil, owner, now-age, generation, counts)
	}
	truncated := live(9, 0, 1, 1, 1)
	version := live(9, 0, 1, 1, 1)
	version[0]++
	s := Sum{Now: now, MaxAge: 3 * second, Generation: generation}
	s.Reset(3)
	for _, c := range []struct {
		name string
		slot []byte
		want SlotState
	}{
		{"live", live(1, 0, 1, 2, 3), SlotLive},
		{"a second old", live(2, second, 10, 0, 70000), SlotLive},
		{"as old as can be", live(3, 3*second, 0, -5, 0), SlotLive},
		{"a clock somewhat ahead", live(4, -second, 0, 100, 0), SlotLive},
		{"expired", live(5, 3*second+1, 1000, 1000, 1000), SlotExpired},
		{"a clock far ahead", live(6, -4*second, 1000, 1000, 1000), SlotExpired},
		{"an absurd clock", AppendSlot(nil, 6, -1<<63, generation, []int{1, 1, 1}), SlotExpired},
		{"another list", AppendSlot(nil, 7, now, generation.With("d"), []int{1, 1, 1}), SlotOther},
		{"a shorter list", live(8, 0, 1, 1), SlotLive},
		{"a longer list", live(8, 0, 0, 0, 1, 1), SlotLive},
		{"empty", nil, SlotForeign},
		{"truncated", truncated[:len(truncated)-1], SlotForeign},
		{"too long", append(slices.Clone(truncated), 0), SlotForeign},
		{"another version", version, SlotForeign},
	} {
		if got := s.Add(c.slot); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
		if got, want := Claimable(c.slot, now, s.MaxAge), c.want == SlotForeign || c.want == SlotExpired; got != want {
			t.Errorf("%s: claimable %v, want %v", c.name, got, want)
		}
	}
	if want := []int{12, 103, 65539}; !slices.Equal(s.InFlight, want) {
		t.Errorf("in flight: got %v, want %v", s.InFlight, want)
	}
	if want := [4]int{4, 3, 1, 6}; s.Slots != want {
		t.Errorf("slots by state: got %v, want %v", s.Slots, want)
	}
	if owner, ok := SlotOwner(live(77, 0)); owner != 77 || !ok {
		t.Errorf("owner: got %d, %v", owner, ok)
	}
	if _, ok := SlotOwner(version); ok {
		t.Error("another version's owner is read")
	}
}

func TestGenerations(t *testing.T) {
	seen := map[Generation]string{}
	for _, list := range [][]string{{}, {""}, {"a"}, {"b"}, {"a", "b"}, {"b", "a"}, {"ab"}, {"a", ""}, {"", "a"}, {"a", "b", "c"}} {
		g := Generation(0)
		name := ""
		for _, address := range list {
			g = g.With(address)
			name += address + "."
		}
		if other, double := seen[g]; double {
			t.Errorf("%q and %q have the same generation", name, other)
		}
		seen[g] = name
	}
}

func TestSlotsWithoutAllocation(t *testing.T) {
	counts := make([]int, 64)
	buffer := make([]byte, 0, SlotSize(64))
	s := Sum{Now: 5, MaxAge: 5}
	s.Reset(64)
	if n := testing.AllocsPerRun(100, func() {
		buffer = AppendSlot(buffer[:0], 1, 5, 0, counts)
		s.Reset(64)
		s.Add(buffer)
		lease, _ := Campaign(buffer[:16], 1, 5, second)
		buffer = AppendLease(buffer[:0], lease)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestCampaign(t *testing.T) {
	const me, other = 1, 2
	now := 1000 * second
	record := func(owner uint32, left int64) []byte { return AppendLease(nil, Lease{owner, now + left}) }
	newer := record(other, second)
	newer[0]++
	for _, c := range []struct {
		name   string
		record []byte
		want   Standing
	}{
		{"no record", nil, Take},
		{"broken", []byte("x"), Take},
		{"another version", newer, Take},
		{"another leads", record(other, second), Follow},
		{"another has just ended", record(other, 0), Take},
		{"another ended long ago", record(other, -999*second), Take},
		{"another's clock is broken", record(other, MaxLease+1), Take},
		{"another's clock is absurd", AppendLease(nil, Lease{other, -1 << 63}), Take},
		{"own and fresh", record(me, 3*second), Lead},
		{"own and half over", record(me, 2*second), Renew},
		{"own and ended", record(me, -1), Take},
	} {
		lease, got := Campaign(c.record, me, now, 4*second)
		if got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
		if got >= Renew && lease != (Lease{me, now + 4*second}) {
			t.Errorf("%s: the lease to write is %v", c.name, lease)
		}
	}
	if lease, _ := Campaign(nil, me, now, 1<<62); lease.End != now+MaxLease {
		t.Errorf("a lease of a century ends at %d", lease.End)
	}
}

// Workers that tick at their own times, die and come back: never two leaders at once, and a new one soon.
func TestElection(t *testing.T) {
	const length = 4 * second
	var record []byte
	until := map[uint32]int64{} // who believes to lead, and how long
	alone := int64(0)
	for now := int64(0); now < 300*second; now += second / 10 {
		for worker := uint32(1); worker <= 4; worker++ {
			dead := now/(20*second)%4 == int64(worker)-1 // each in turn for 20 s
			if dead || (now/(second/10)+int64(worker)*3)%10 != 0 {
				continue
			}
			lease, standing := Campaign(record, worker, now, length)
			if standing >= Renew {
				record = AppendLease(nil, lease)
			}
			if standing != Follow {
				until[worker] = lease.End
			}
		}
		leaders := 0
		for _, end := range until {
			if end > now {
				leaders++
			}
		}
		switch {
		case leaders > 1:
			t.Fatalf("at %d: %d leaders", now, leaders)
		case leaders == 1:
			alone = now
		case now-alone > 2*second:
			t.Fatalf("at %d: nobody leads since %d", now, alone)
		}
	}
}

func FuzzSlot(f *testing.F) {
	f.Add(AppendSlot(nil, 1, 5, 0, []int{1, 2}), int64(6), uint8(2))
	f.Add(AppendSlot(nil, 1, -1, 7, nil), int64(-1<<63), uint8(0))
	f.Add(AppendLease(nil, Lease{3, 9}), int64(4), uint8(1))
	f.Add([]byte{1, 0, 255, 255}, int64(1), uint8(255))
	f.Fuzz(func(t *testing.T, slot []byte, now int64, n uint8) {
		s := Sum{Now: now, MaxAge: second}
		s.Reset(int(n))
		state := s.Add(slot)
		total := 0
		for _, count := range s.InFlight {
			total += count
		}
		if state != SlotLive && total != 0 || total < 0 || s.Slots[state] != 1 {
			t.Fatalf("state %d, total %d", state, total)
		}
		owner, ok := SlotOwner(slot)
		if ok != (state != SlotForeign) {
			t.Fatalf("owner %v, state %d", ok, state)
		}
		if state == SlotLive {
			heartbeat := now // any age within bounds writes the same counts
			again := AppendSlot(nil, owner, heartbeat, 0, s.InFlight)
			before := slices.Clone(s.InFlight)
			s.Reset(int(n))
			if s.Add(again) != SlotLive || !slices.Equal(before, s.InFlight) {
				t.Fatal("written again, it reads differently")
			}
		}
		lease, standing := Campaign(slot, 1, now, second)
		if written, ok := ReadLease(AppendLease(nil, lease)); standing >= Renew && (!ok || written != lease || lease.Owner != 1) {
			t.Fatalf("standing %d, lease %v", standing, lease)
		}
	})
}

func BenchmarkSumFourWorkers(b *testing.B) {
	slots := make([][]byte, 4)
	for i := range slots {
		slots[i] = AppendSlot(nil, uint32(i), 5, 0, make([]int, 64))
	}
	s := Sum{Now: 5, MaxAge: 5}
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(64)
		for _, slot := range slots {
			s.Add(slot)
		}
	}
}
