package cases

import (
	"strings"
	"testing"
)

// Models that reason give long answers, which half of the loads' next prompts have, each in the tokens behind the prompt before; every turn
// waits for the answer before it, and fits.
func TestDrawnReasoning(t *testing.T) {
	stay, all := 0, DrawnReasoning(40, 3)
	alike(t, all, DrawnReasoning(5, 3))
	for _, c := range all {
		o, err := c.Options("", 1)
		if err != nil {
			t.Fatalf("%s, %s: %v", c.ID, c.What, err)
		}
		answers, longest := 0, 0
		for _, r := range o.Trace.Requests {
			answers, longest = answers+r.OutputTokens, max(longest, r.InputTokens+r.OutputTokens)
			if before := r.After; o.Trace.Answers && before >= 0 && r.InputTokens < o.Trace.Requests[before].InputTokens+o.Trace.Requests[before].OutputTokens {
				t.Errorf("%s: a turn of %d tokens behind %d and an answer of %d", c.ID, r.InputTokens, o.Trace.Requests[before].InputTokens, o.Trace.Requests[before].OutputTokens)
				break
			}
		}
		if mean := answers / len(o.Trace.Requests); mean < 100 || mean > 12_000 {
			t.Errorf("%s: %s: answers of %d tokens", c.ID, c.What, mean)
		}
		if longest > o.Profile.KVTokens() || !c.Closed || c.Published || !strings.HasPrefix(c.ID, "reasoning-3-") || strings.Contains(c.What, "answers stay") != o.Trace.Answers {
			t.Errorf("%s: %s: closed %v, published %v, a request of %d tokens in %d", c.ID, c.What, c.Closed, c.Published, longest, o.Profile.KVTokens())
		}
		if o.Trace.Answers {
			stay++
		}
	}
	if stay < 12 || stay > 28 {
		t.Errorf("answers stay in %d of 40, want about half", stay)
	}
}
