package keepers

import (
	"fmt"
	"testing"
)

// What is kept is bounded, and what came last is.
func TestManyResponsesAreKept(t *testing.T) {
	const all = 100_000
	var table Table
	hash := func(i int) uint64 { return Hash(1, fmt.Append(nil, "resp_", i)) }
	for i := range all {
		table.Note(hash(i), i%2, 7, uint32(i))
	}
	if n := len(table); n > most {
		t.Errorf("%d slots", n)
	}
	known := 0
	for i := all - most/2; i < all; i++ {
		switch by, turn := table.Find(hash(i)); {
		case by < 0:
		case by != i%2 || turn != 7:
			t.Fatalf("resp_%d is at the wrong one: %d of turn %d", i, by, turn)
		default:
			known++
		}
	}
	if known < most/2*9/10 {
		t.Errorf("of the last %d only %d are known", most/2, known)
	}
	table.Drop(1)
	for i := all - most/2; i < all; i++ {
		if by, _ := table.Find(hash(i)); by == 1 {
			t.Fatalf("resp_%d is still kept by an endpoint that was dropped", i)
		}
	}
}

// The last word about a response counts.
func TestNoteAgain(t *testing.T) {
	var table Table
	if by, _ := table.Find(Hash(1, []byte("resp"))); by >= 0 {
		t.Error("an empty table knows it")
	}
	for i := range 3 {
		table.Note(Hash(1, []byte("resp")), i, 0, 5)
		if by, _ := table.Find(Hash(1, []byte("resp"))); by != i {
			t.Errorf("kept by %d, want %d", by, i)
		}
	}
	if by, _ := table.Find(Hash(2, []byte("resp"))); by >= 0 {
		t.Error("it is found by another secret")
	}
}
