package prompt

import (
	"slices"
	"strings"
	"testing"
)

const (
	billedOnce  = `x-anthropic-billing-header: cc_version=2.1.100.7b4; cc_entrypoint=cli; cch=eb6c6;`
	billedAgain = `x-anthropic-billing-header: cc_version=2.1.107.3d9; cc_entrypoint=cli; cch=0aaa90;`
)

func systemBody(system string) string {
	return `{"model":"m","system":` + system + `,"tools":[{"name":"f"}],"messages":[{"role":"user","content":"hi"}]}`
}

func chatBody(turn string) string {
	return `{"messages":[` + turn + `,{"role":"user","content":"hi"}]}`
}

// What vLLM leaves out of system texts, and what it does not: each pair has the same canonical bytes, or not.
func TestBilling(t *testing.T) {
	long := strings.Repeat("w", 3*window)
	for _, c := range []struct {
		name   string
		format Format
		body   string
		than   string
		same   bool
	}{
		{"a block", Messages, systemBody(`[{"type":"text","text":"` + billedOnce + `"},{"type":"text","text":"S"}]`), systemBody(`[{"type":"text","text":"S"}]`), true},
		{"a block, its text first", Messages, systemBody(`[{"text":"` + billedOnce + `","type":"text"},{"type":"text","text":"S"}]`), systemBody(`"S"`), true},
		{"a block of lines", Messages, systemBody(`[{"type":"text","text":"` + billedOnce + `\nmore"},{"type":"text","text":"S"}]`), systemBody(`"S"`), true},
		{"a second block", Messages, systemBody(`[{"type":"text","text":"S"},{"type":"text","text":"` + billedOnce + `"}]`), systemBody(`"S"`), true},
		{"nothing else", Messages, systemBody(`[{"type":"text","text":"` + billedOnce + `"}]`), systemBody(`null`), true},
		{"a long block", Messages, systemBody(`[{"type":"text","text":"` + billedOnce + long + `"},{"type":"text","text":"` + long + `"}]`), systemBody(`"` + long + `"`), true},
		{"a string", Messages, systemBody(`"` + billedOnce + `\nS"`), systemBody(`"S"`), true},
		{"a string of one line", Messages, systemBody(`"` + billedOnce + `"`), systemBody(`""`), true},
		{"escaped", Messages, systemBody(`[{"text":"\u0078-anthropic\u002dbilling-header"},{"text":"S"}]`), systemBody(`"S"`), true},
		{"nearly", Messages, systemBody(`[{"text":"x-anthropic-billing-heade"}]`), systemBody(`null`), false},
		{"not at the beginning", Messages, systemBody(`[{"text":" ` + billedOnce + `"}]`), systemBody(`null`), false},
		{"a system turn", Messages, chatBody(`{"role":"system","content":"` + billedOnce + `\nmore"}`), chatBody(`{"role":"system"}`), true},
		{"a system turn's block", Messages, chatBody(`{"role":"system","content":[{"text":"` + billedOnce + `\nmore"},{"text":"S"}]}`), chatBody(`{"role":"system","content":"S"}`), true},
		{"the user", Messages, chatBody(`{"role":"user","content":"` + billedOnce + `"}`), chatBody(`{"role":"user","content":"` + billedAgain + `"}`), false},
		{"a result", Messages, chatBody(`{"role":"user","content":[{"tool_use_id":"t","content":"` + billedOnce + `"}]}`), chatBody(`{"role":"user","content":[{"tool_use_id":"t"}]}`), false},
		{"redacted thinking", Messages, chatBody(`{"role":"assistant","content":[{"type":"redacted_thinking","data":"xyz"},{"text":"S"}]}`), chatBody(`{"role":"assistant","content":"S"}`), true},
		{"a line", Chat, chatBody(`{"role":"system","content":"` + billedOnce + `\nS"}`), chatBody(`{"role":"system","content":"S"}`), true},
		{"a line of a part", Chat, chatBody(`{"role":"system","content":[{"type":"text","text":"` + billedOnce + `\u000aS"}]}`), chatBody(`{"role":"system","content":"S"}`), true},
		{"one line of two", Chat, chatBody(`{"role":"system","content":"` + billedOnce + `\n` + billedAgain + `"}`), chatBody(`{"role":"system","content":""}`), false},
		{"a line before a long text", Chat, chatBody(`{"role":"system","content":"` + billedOnce + `\n` + long + `"}`), chatBody(`{"role":"system","content":"` + long + `"}`), true},
		{"a line alone", Chat, chatBody(`{"role":"system","content":"` + billedOnce + `\n"}`), chatBody(`{"role":"system"}`), true},
		{"the role last", Chat, chatBody(`{"content":"` + billedOnce + `\nS","role":"system"}`), chatBody(`{"content":"S","role":"system"}`), true},
		{"the role last, and the user's", Chat, chatBody(`{"content":"` + billedOnce + `","role":"user"}`), chatBody(`{"role":"user","content":"` + billedOnce + `"}`), true},
		{"blocks, the role last", Messages, chatBody(`{"content":[{"text":"` + billedOnce + `\nmore"},{"text":"S"},{"text":"` + billedOnce + `"}],"role":"system"}`), chatBody(`{"role":"system","content":"S"}`), true},
		{"no role", Chat, chatBody(`{"content":"` + billedOnce + `"}`), chatBody(`{"content":"` + billedAgain + `"}`), false},
		{"the developer", Chat, chatBody(`{"role":"developer","content":"` + billedOnce + `\nS"}`), chatBody(`{"role":"developer","content":"S"}`), false},
		{"instructions", Responses, `{"instructions":"` + billedOnce + `\nS","input":"hi"}`, `{"instructions":"S","input":"hi"}`, true},
		{"no instructions", Responses, `{"instructions":"","input":"hi"}`, `{"input":"hi"}`, true},
		{"an item", Responses, `{"input":[{"role":"system","content":"` + billedOnce + `\nS"}]}`, `{"input":[{"role":"system","content":"S"}]}`, true},
		{"an item's part", Responses, `{"input":[{"role":"system","content":[{"type":"input_text","text":"` + billedOnce + `\nS"}]}]}`, `{"input":[{"role":"system","content":"S"}]}`, false},
		{"a completion", Completions, `{"prompt":"` + billedOnce + `\nS"}`, `{"prompt":"S"}`, false},
	} {
		want, got := mustScan(t, c.format, c.than), mustScan(t, c.format, c.body)
		if is := slices.Equal(want.Text, got.Text); is != c.same {
			t.Errorf("%s: the same %v, want %v:\n%q\n%q", c.name, is, c.same, got.Text[:min(300, len(got.Text))], want.Text[:min(300, len(want.Text))])
		}
		if c.same && (got.SystemLen != want.SystemLen || string(got.Session) != string(want.Session) || !slices.Equal(chainOf(got), chainOf(want))) {
			t.Errorf("%s: system of %d bytes, session %q, want %d, %q, and one chain", c.name, got.SystemLen, got.Session, want.SystemLen, want.Session)
		}
	}
}

// However a body is split, in two places or in pieces of one size, its prompt is the same.
func TestBillingInPieces(t *testing.T) {
	for _, c := range []struct {
		format Format
		body   string
	}{
		{Messages, systemBody(`[{"type":"text","text":"` + billedOnce + `"},{"type":"text","text":"x-anthropic-bill"},{"text":"S"}]`)},
		{Messages, systemBody(`"` + billedOnce + `\u000aS"`)},
		{Chat, chatBody(`{"content":["` + billedOnce + `\u000aS","x-anthropic-bill","x-anthropic-billing-header"],"role":"system"}`)},
		{Chat, chatBody(`{"role":"system","content":"\u0078-anthropic-billing-header\ud83c\udf4e é\nSé"}`)},
	} {
		want := mustScan(t, c.format, c.body)
		for i := range len(c.body) {
			for j := i; j < len(c.body); j++ {
				if got := piecewise(c.format, c.body[:i], c.body[i:j], c.body[j:]); string(got.Text) != string(want.Text) || got.SystemLen != want.SystemLen {
					t.Fatalf("%s, split at %d and %d: %q, want %q", c.body, i, j, got.Text, want.Text)
				}
			}
		}
		if got := piecewise(c.format, strings.Split(c.body, "")...); string(got.Text) != string(want.Text) {
			t.Errorf("%s, byte by byte: %q, want %q", c.body, got.Text, want.Text)
		}
	}
}

func piecewise(f Format, pieces ...string) *Prompt {
	s := NewScanner(Options{})
	s.Reset(f, nil)
	for _, p := range pieces {
		s.Write([]byte(p))
	}
	s.Close()
	return s.Prompt()
}

// The next turn of Claude Code extends the one before, with its new hash, whether the decision waits for the body's end or not.
func TestBilledTurnsExtend(t *testing.T) {
	turn := func(line, more string) string {
		return `{"model":"m","system":[{"type":"text","text":"` + line + `"},{"type":"text","text":"` + strings.Repeat("Be brief. ", 500) + `"}],"tools":[{"name":"f"}],
			"messages":[{"role":"user","content":"first"}` + more + `]}`
	}
	for _, hold := range []int{0, 3000} {
		s, next := NewScanner(Options{HoldBytes: hold}), NewScanner(Options{HoldBytes: hold})
		a, _ := scan(t, s, Messages, "", []byte(turn(billedOnce, "")))
		b, _ := scan(t, next, Messages, "", []byte(turn(billedAgain, `,{"role":"assistant","content":"yes"},{"role":"user","content":"second"}`)))
		if x, y := chainOf(a), chainOf(b); len(x) == 0 || len(y) < len(x) || !slices.Equal(x, y[:len(x)]) {
			t.Errorf("hold of %d bytes: chains of %d and %d blocks, want the first to begin the second", hold, len(x), len(y))
		}
	}
}
