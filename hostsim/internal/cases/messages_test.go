package cases

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"warmroute/hostsim/internal/trace"
)

// Each turn's messages are those of the turn before, the answer, as long as that was, and a question; a system prompt stands first in most cases.
func TestDrawnMessages(t *testing.T) {
	system, all := 0, DrawnMessages(20, 3)
	alike(t, all, DrawnMessages(5, 3))
	for _, c := range all {
		o, err := c.Options("", 1)
		if err != nil {
			t.Fatalf("%s, %s: %v", c.ID, c.What, err)
		}
		if !c.Closed || c.Published || !o.Trace.Answers || !strings.HasPrefix(c.ID, "messages-3-") || !strings.Contains(c.What, "answers stay") {
			t.Errorf("%s: %s: closed %v, published %v, answers stay %v", c.ID, c.What, c.Closed, c.Published, o.Trace.Answers)
		}
		for i := range o.Trace.Requests {
			r := &o.Trace.Requests[i]
			var body struct {
				Messages []struct{ Role, Content string }
			}
			if err := json.Unmarshal(r.Body, &body); err != nil || len(body.Messages) == 0 || len(r.Blocks) > 0 {
				t.Fatalf("%s: request %d: %v: %.200s", c.ID, i, err, r.Body)
			}
			n := len(body.Messages)
			if i == 0 && body.Messages[0].Role == "system" {
				system++
			}
			if body.Messages[n-1].Role != "user" || body.Messages[n-1].Content == "" {
				t.Errorf("%s: request %d ends with %q of the %s", c.ID, i, body.Messages[n-1].Content, body.Messages[n-1].Role)
			}
			if r.After < 0 {
				continue
			}
			before := &o.Trace.Requests[r.After]
			if !bytes.HasPrefix(r.Body, bytes.TrimSuffix(before.Body, []byte("]}"))) || body.Messages[n-2].Role != "assistant" ||
				len(body.Messages[n-2].Content) != before.OutputTokens*trace.BytesPerToken {
				t.Fatalf("%s: request %d does not go on from %d and its answer of %d tokens:\n%.300s\n%.300s", c.ID, i, r.After, before.OutputTokens, before.Body, r.Body)
			}
		}
	}
	if system < 8 || system > 18 {
		t.Errorf("%d of 20 cases have a system prompt, want about two thirds", system)
	}
}
