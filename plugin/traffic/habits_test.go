package traffic

import (
	"testing"

	"warmroute/plugin/speed"
)

// What no such number of workers can have counted is not plausible.
func TestPlausibleHabits(t *testing.T) {
	own := Habits{300, 1000, 20, 11_000, 7700}
	for name, c := range map[string]struct {
		of   func(h *Habits)
		want bool
	}{
		"as they are":                  {func(*Habits) {}, true},
		"nothing":                      {func(h *Habits) { *h = Habits{} }, true},
		"more is found than there is":  {func(h *Habits) { h[habitFound] = 1001 }, false},
		"more than their prompts have": {func(h *Habits) { h[habitAll] = 3 * seenPrompts * longestPrompt }, false},
		"more requests than count":     {func(h *Habits) { h[habitRequests] = 3 * speed.MostSums }, false},
		"longer than prompts are":      {func(h *Habits) { h[habitTokens] = 21 * longestPrompt }, false},
		"longer than requests stay":    {func(h *Habits) { h[habitHeld] = 11_000 * 3601 }, false},
	} {
		h := own
		if c.of(&h); h.Plausible(2) != c.want {
			t.Errorf("%s: %v, want %v", name, !c.want, c.want)
		}
	}
}
