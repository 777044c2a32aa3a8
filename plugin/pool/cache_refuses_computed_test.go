package pool

import (
	"fmt"
	"testing"

	"warmroute/plugin/health"
)

// A prompt that was refused hides no longer one for long, though most streams tell no tokens: what was computed shows that its length is.
// What is refused for another reason says nothing of the length.
func TestComputedPromptsAreNotRefused(t *testing.T) {
	for _, c := range []struct {
		what    string
		refusal Outcome
		first   int64 // ns to the first event of each long stream
		late    int   // of 20 those that are not entered when they are sent
	}{
		{"for its length", Outcome{Ending: health.Answered, Lost: true, Unfit: true}, second, 1},
		{"for its length, and streams begin with an error at once", Outcome{Ending: health.Answered, Lost: true, Unfit: true}, second / 100, 20},
		{"for its client's rate", Outcome{Ending: health.Answered, Lost: true}, second, 0},
	} {
		p := newPool(2)
		p.SetCache(0, 1e6)
		f := send(p, 0, textOf(2000), second)
		p.End(f, 2*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 500})
		p.End(send(p, 0, textOf(3000), 3*second), 3*second, c.refusal)
		late := 0
		for n := range 20 {
			now := int64(4+n) * second
			of := textOf(100_000)
			of.Text, of.Stream = append(fmt.Append(nil, n), of.Text...), true
			f := send(p, 0, of, now)
			if v := f.Entered(); v.Chain == nil {
				late++
			}
			p.FirstToken(f, now+c.first)
			p.End(f, now+second, Outcome{Ending: health.Answered})
		}
		if late != c.late {
			t.Errorf("after one that was refused %s %d of 20 streams are not entered when they are sent, want %d", c.what, late, c.late)
		}
	}
}
