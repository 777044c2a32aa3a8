package peers

import (
	"slices"
	"testing"
)

// It goes to what holds more than .3 of the prompt, unless loads differ by more than 64 and by half.
func TestSMG(t *testing.T) {
	e := engine(t, "smg", 3)
	prompt := text("hot", 1600)
	blocks := blocksOf(prompt)
	hold := func(n int) {
		stored := caches{e.members[1].address: {}}
		for _, b := range blocks[:n] {
			stored[e.members[1].address][b] = true
		}
		e.Hear(16, stored.held)
	}
	for _, c := range []struct {
		held     int
		inFlight []int
		want     int
		reason   string
	}{
		{len(blocks) / 2, []int{100, 164, 120}, 1, "match"},
		{len(blocks) / 2, []int{100, 165, 120}, 0, "by_load"},
		{len(blocks) / 2, []int{200, 270, 220}, 1, "match"},
		{3 * len(blocks) / 10, []int{9, 8, 7}, 2, "by_load"},
		{0, []int{9, 8, 7}, 2, "by_load"},
	} {
		hold(c.held)
		e.inFlight = slices.Clone(c.inFlight)
		if replica, reason, _ := send(t, e, "", prompt); replica != c.want || reason != c.reason {
			t.Errorf("1 holds %d of %d blocks, %v in flight: went to %d (%s), want %d (%s)", c.held, len(blocks), c.inFlight, replica, reason, c.want, c.reason)
		}
	}
}
