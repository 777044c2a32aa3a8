package prompt

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Turns whose order is known at their end alone are kept until then. What comes after them takes its own room beside theirs: two of
// 64 KB, written with the content before the role as sorted members are, had trapped the module.
func TestLongTurnsInARow(t *testing.T) {
	text := strings.Repeat(evergreen, 2)
	sizes := []int{100, window - 40, window + 40, 2*window + 40, 3 * window, 4*window + 40, 7 * window, maxWindow - 100}
	for _, one := range sizes {
		for _, two := range sizes {
			want := mustScan(t, Chat, `{"model":"m","messages":[`+turnOf("user", text[:one])+`,`+turnOf("user", text[:two])+`]}`)
			for name, body := range map[string]string{
				"sorted":  `{"messages":[{"content":"` + text[:one] + `","role":"user"},{"content":"` + text[:two] + `","role":"user"}],"model":"m"}`,
				"twice":   `{"messages":[{"content":"` + text[:two] + `","content":"` + text[:one] + `","role":"user"},{"content":"` + text[:two] + `","role":"user"}],"model":"m"}`,
				"a break": `{"messages":[{"content":"` + text[:one] + `","role":"user"},` + turnOf("user", text[:two]) + `],"model":"m"}`,
			} {
				got := mustScan(t, Chat, body)
				if !slices.Equal(chainOf(got), chainOf(want)) || got.Size() != want.Size() {
					t.Errorf("%s, %d and %d bytes: another chain", name, one, two)
				}
			}
		}
	}
}

// Whatever the order of members, their lengths and how often they come, a body has one chain, however it is cut into chunks.
func TestMembersOfAnyLength(t *testing.T) {
	draw := rand.New(rand.NewPCG(14, 1))
	var value func(depth int) string
	value = func(depth int) string {
		kinds := []string{`"text":`, `"title":`, `"id":`, `"name":`, `"input":`, `"thinking":`, `"content":`, `"role":`, `"tool_call_id":`, `"reasoning":`}
		var members []string
		for range 1 + draw.IntN(5) {
			kind, text := kinds[draw.IntN(len(kinds))], `"`+evergreen[:draw.IntN(1<<(1+draw.IntN(17)))]+`"`
			if kind == `"content":` && depth < 3 {
				var parts []string
				for range draw.IntN(4) {
					parts = append(parts, value(depth+1))
				}
				text = "[" + strings.Join(parts, ",") + "]"
			}
			members = append(members, kind+text)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for n := range 60 {
		var turns []string
		for range 1 + draw.IntN(4) {
			turns = append(turns, value(0))
		}
		body := []byte(`{"model":"m","messages":[` + strings.Join(turns, ",") + `]}`)
		s := NewScanner(Options{HoldBytes: -1})
		p, whole := scan(t, s, Chat, "", body)
		want := chainOf(p)
		for _, size := range []byte{255, 7} {
			if p, status := scan(t, s, Chat, "", body, size); status != whole || !slices.Equal(chainOf(p), want) {
				t.Errorf("body %d of %d bytes in chunks of %d: another chain, or %v instead of %v", n, len(body), size, status, whole)
			}
		}
	}
}
