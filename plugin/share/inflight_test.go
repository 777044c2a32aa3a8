package share

import (
	"slices"
	"testing"
)

const second = int64(1e9)

func TestInFlightSize(t *testing.T) {
	if got := inFlightSize(64); got != 148 {
		t.Errorf("64 endpoints: got %d bytes, want 148", got)
	}
	for _, n := range []int{0, 1, 64, maxSlotEndpoints} {
		if got := len(appendInFlight(nil, 1, 2, 3, make([]int, n))); got != inFlightSize(n) {
			t.Errorf("%d endpoints: got %d bytes, want %d", n, got, inFlightSize(n))
		}
	}
}

func TestTotal(t *testing.T) {
	now := 1000 * second
	generation := Generation(0).With("a").With("b").With("c")
	live := func(owner uint32, age int64, counts ...int) []byte {
		return appendInFlight(nil, owner, now-age, generation, counts)
	}
	truncated := live(9, 0, 1, 1, 1)
	version := live(9, 0, 1, 1, 1)
	version[0]++
	var s total
	s.reset(now, generation, 3)
	for _, c := range []struct {
		name string
		slot []byte
		want slotState
	}{
		{"live", live(1, 0, 1, 2, 3), slotLive},
		{"a second old", live(2, second, 10, 0, 70000), slotLive},
		{"as old as can be", live(3, maxAge, 0, -5, 0), slotLive},
		{"a clock somewhat ahead", live(4, -second, 0, 100, 0), slotLive},
		{"expired", live(5, maxAge+1, 1000, 1000, 1000), slotExpired},
		{"a clock far ahead", live(6, -maxAge-1, 1000, 1000, 1000), slotExpired},
		{"an absurd clock", appendInFlight(nil, 6, -1<<63, generation, []int{1, 1, 1}), slotExpired},
		{"another list", appendInFlight(nil, 7, now, generation.With("d"), []int{1, 1, 1}), slotOtherList},
		{"a shorter list", live(8, 0, 1, 1), slotLive},
		{"a longer list", live(8, 0, 0, 0, 1, 1), slotLive},
		{"empty", nil, slotUnreadable},
		{"truncated", truncated[:len(truncated)-1], slotUnreadable},
		{"too long", append(slices.Clone(truncated), 0), slotUnreadable},
		{"another version", version, slotUnreadable},
	} {
		if got := s.add(c.slot); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
		if got, want := claimable(c.slot, now, maxAge), c.want == slotUnreadable || c.want == slotExpired; got != want {
			t.Errorf("%s: claimable %v, want %v", c.name, got, want)
		}
	}
	if want := []int{12, 103, 65539}; !slices.Equal(s.counts, want) {
		t.Errorf("in flight: got %v, want %v", s.counts, want)
	}
	if owner, ok := ownerOf(live(77, 0)); owner != 77 || !ok {
		t.Errorf("owner: got %d, %v", owner, ok)
	}
	if _, ok := ownerOf(version); ok {
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
	buffer := make([]byte, 0, inFlightSize(64))
	var s total
	s.reset(5, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		buffer = appendInFlight(buffer[:0], 1, 5, 0, counts)
		s.reset(5, 0, 64)
		s.add(buffer)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func FuzzInFlight(f *testing.F) {
	f.Add(appendInFlight(nil, 1, 5, 0, []int{1, 2}), int64(6), uint8(2))
	f.Add(appendInFlight(nil, 1, -1, 7, nil), int64(-1<<63), uint8(0))
	f.Add([]byte{1, 0, 255, 255}, int64(1), uint8(255))
	f.Fuzz(func(t *testing.T, slot []byte, now int64, n uint8) {
		var s total
		s.reset(now, 0, int(n))
		state := s.add(slot)
		sum := 0
		for _, count := range s.counts {
			sum += count
		}
		if state != slotLive && sum != 0 || sum < 0 {
			t.Fatalf("state %d, sum %d", state, sum)
		}
		owner, ok := ownerOf(slot)
		if ok != (state != slotUnreadable) {
			t.Fatalf("owner %v, state %d", ok, state)
		}
		if state == slotLive {
			heartbeat := now // any age within bounds writes the same counts
			again := appendInFlight(nil, owner, heartbeat, 0, s.counts)
			before := slices.Clone(s.counts)
			s.reset(now, 0, int(n))
			if s.add(again) != slotLive || !slices.Equal(before, s.counts) {
				t.Fatal("written again, it reads differently")
			}
		}
	})
}

func BenchmarkTotalOfFourWorkers(b *testing.B) {
	slots := make([][]byte, 4)
	for i := range slots {
		slots[i] = appendInFlight(nil, uint32(i), 5, 0, make([]int, 64))
	}
	var s total
	b.ReportAllocs()
	for b.Loop() {
		s.reset(5, 0, 64)
		for _, slot := range slots {
			s.add(slot)
		}
	}
}
