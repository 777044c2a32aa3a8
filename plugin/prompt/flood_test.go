package prompt

import (
	"bytes"
	"strings"
	"testing"
)

// Members that come twice stay where a record has become too long to put its members in order: they took a slot each, and each a walk
// over those before it, 42 s for a body of 2 MiB.
func TestRepeatedMembersTakeNoRoom(t *testing.T) {
	long := `{"role":"user","content":"` + strings.Repeat("a", maxWindow+window)
	disordered := `{"content":"` + strings.Repeat("a", maxWindow+window)
	for _, record := range []string{long, disordered, disordered + `","tool_calls":[{"function":{"name":"` + strings.Repeat("a", maxWindow+window)} {
		for _, member := range []string{`"content":""`, `"name":"a"`, `"content":"","role":"user"`, `"id":""`, `"arguments":"","name":""`} {
			s := NewScanner(Options{})
			s.Reset(Chat, nil)
			s.Write([]byte(`{"model":"m","messages":[` + record + `"`))
			if s.Write(bytes.Repeat([]byte(`,`+member), 20_000)); len(s.slots) > 64 || s.Why() != "" {
				t.Errorf("%s… with %s: %d slots, why %q", record[:10], member, len(s.slots), s.Why())
			}
		}
	}
}

// An int has 32 bits in the module, where an image of 1 GiB trapped. The decision stays as it is.
func TestEndlessBodiesAreLeft(t *testing.T) {
	s := NewScanner(Options{})
	for _, begin := range []string{`{"role":"user","content":"`, `{"role":"user","content":[{"text":"a"},{"image_url":{"url":"`} {
		s.Reset(Chat, nil)
		s.Write([]byte(`{"model":"m","messages":[` + begin))
		piece := bytes.Repeat([]byte{'a'}, 1<<20)
		for range maxBytes >> 20 {
			s.Write(piece)
		}
		if s.Reads() || s.Write(piece) != Ready || s.Close() != Ready || string(s.Prompt().Model) != "m" {
			t.Errorf("%s… is read on", begin)
		}
	}
}

// Strings of escapes are in the bound on what a callback reads: they take several times as long as plain text, which has none. So do short ones of
// many strings.
func TestEscapesAreWork(t *testing.T) {
	const size = 300_000
	work := func(begin, piece string, chunk int) int {
		s := NewScanner(Options{})
		s.Reset(Chat, nil)
		body := begin + strings.Repeat(piece, size/len(piece))
		for len(body) > 0 && s.Write([]byte(body[:min(chunk, len(body))])) != Broken {
			body = body[min(chunk, len(body)):]
		}
		if s.Why() != "" {
			t.Errorf("%s… with %s: why %q", begin, piece, s.Why())
		}
		return s.Work()
	}
	const turn = `{"model":"m","messages":[{"role":"user","content":"hi"}],`
	for _, begin := range []string{turn + `"x":"`, turn + `"user":"`, turn + `"`, `{"messages":[{"content":[{"image_url":{"url":"`} {
		for piece, least := range map[string]int{`\/`: size / 2, `a\n`: size / 3, `\u0041`: size / 2, `\ud800`: size / 2, `\ud83d\ude00`: size / 2} {
			for _, chunk := range []int{1000, 64 << 10} {
				if got := work(begin, piece, chunk); got < least {
					t.Errorf("%s… with %s in chunks of %d: %d, want %d at least", begin, piece, chunk, got, least)
				}
			}
		}
		if got := work(begin, "words ", 64<<10); got > 200 {
			t.Errorf("%s… with text: %d, want next to none", begin, got)
		}
	}
	if got := work(`{"messages":[{"role":"user","content":"`, `\ud800`, 64<<10); got < size/2 {
		t.Errorf("a text of lone surrogates: %d", got)
	}
	if got := work(`{"messages":[{"role":"user","content":"`, "words\\nand ", 64<<10); got > 500 {
		t.Errorf("text with line breaks: %d, want next to none", got)
	}
	if got := work(`{"x":["a"`, `,"\n"`, 64<<10); got < size {
		t.Errorf("strings of one escape: %d, want %d at least", got, size)
	}
}
