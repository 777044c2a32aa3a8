package gossip

import "testing"

// Of a gateway that asks so many others in turn, neither the load nor a long entry waits for many asks, whatever the number. (With
// numbers multiplied by the golden ratio it did for half of a Fibonacci number of asks, where that was the distance of two.)
func TestNeitherWaitsForLong(t *testing.T) {
	const most = 20 // asks: of 64,000 fair coins none is expected to fall 20 times alike
	for apart := range uint64(64) {
		run, last := 0, false
		for n := range uint64(1000) {
			first := loadFirst(1<<40 + n*(apart+1))
			if run++; n == 0 || first != last {
				run, last = 1, first
			}
			if run > most {
				t.Errorf("numbers %d apart: %d asks one after the other have loadFirst = %v", apart+1, run, first)
				break
			}
		}
	}
}
