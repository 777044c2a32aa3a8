package health

import "testing"

// An int has 32 bits in the module: after two billion failures of an endpoint the next one is remembered like any other.
func TestFailuresWithoutEnd(t *testing.T) {
	b := new(blames)
	b.next-- // as after so many
	for n := range uint64(2 * remembered) {
		if who := (Blame{Client: n + 1}); !b.add(who, 1e9) || b.add(who, 1e9) {
			t.Fatalf("failure %d is not remembered", n)
		}
	}
}
