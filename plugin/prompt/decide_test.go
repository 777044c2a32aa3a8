package prompt

import (
	"strings"
	"testing"
)

// written is the status after body, and how many of its bytes the decision took.
func written(s *Scanner, f Format, body string) (Status, int) {
	s.Reset(f, nil)
	status := s.Write([]byte(body))
	return status, s.Prompt().BodyBytes
}

func TestDecisionFallsAsSoonAsItCan(t *testing.T) {
	const limit, ahead = 1000, 500
	long := strings.Repeat("evergreen ", 2000)
	turn := func(s string) string { return `{"role":"user","content":"` + s + `"}` }
	tests := []struct {
		name     string
		format   Format
		body     string
		from, to int // offsets between which the decision must fall
		system   bool
		model    string
	}{
		{"all is known at the cap", Chat, `{"model":"m","tools":[],"messages":[` + turn(long), limit, limit + 80, false, "m"},
		{"the same with content before the role", Chat, `{"model":"m","tools":[],"messages":[{"content":"` + long + `","role":"user"}`, limit + ahead, limit + ahead + 80, false, "m"},
		{"a role soon after the content", Chat, `{"model":"m","tools":[],"messages":[{"content":"` + long[:1100] + `","role":"user"},` + turn(long), 1100, 1200, false, "m"},
		{"tools do not come", Chat, `{"model":"m","messages":[` + turn(long), limit + ahead, limit + ahead + 80, false, "m"},
		{"tools come within the lookahead", Chat, `{"model":"m","messages":[` + turn(long[:1200]) + `],"tools":[{"name":"t"}],"user":"` + long, 1200, 1300, true, "m"},
		{"tools come after it", Chat, `{"model":"m","messages":[` + turn(long) + `],"tools":[{"name":"t"}]}`, limit + ahead, limit + ahead + 80, false, "m"},
		{"the model comes within the lookahead", Completions, `{"prompt":"` + long[:1200] + `","model":"m","user":"` + long, 1200, 1250, false, "m"},
		{"the model comes after it", Completions, `{"prompt":"` + long + `","model":"m"}`, limit + ahead, limit + ahead + 30, false, ""},
		{"tools alone fill the cap", Chat, `{"model":"m","tools":[{"name":"` + long, limit, limit + 80, true, "m"},
		{"tools alone fill the cap, and a system prompt does not matter", Messages, `{"model":"m","tools":[{"name":"` + long, limit, limit + 80, true, "m"},
		{"tools behind a short turn fill the cap", Chat, `{"model":"m","messages":[` + turn("x") + `],"tools":[{"name":"` + long, limit + ahead, limit + ahead + 80, true, "m"},
		{"and then end", Chat, `{"model":"m","messages":[` + turn("x") + `],"tools":[{"name":"` + long[:1100] + `","x":"` + long, 1150, 1180, true, "m"},
		{"a turn that is given again ends the wait", Chat, `{"model":"m","messages":[` + turn(long[:1200]) + `],"messages":[` + turn(long), 1200 + limit + ahead, 1200 + limit + ahead + 120, false, "m"},
		{"a system prompt is waited for", Messages, `{"model":"m","tools":[],"messages":[` + turn(long[:1200]) + `],"system":"be"`, 1200, 1290, true, "m"},
		{"instructions are waited for", Responses, `{"model":"m","tools":null,"input":"` + long[:1200] + `","instructions":"be"`, 1200, 1290, true, "m"},
		{"the end comes first", Chat, `{"model":"m","messages":[` + turn(long[:1200]) + `]}`, 1200, 1290, false, "m"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := NewScanner(Options{InspectBytes: limit, LookaheadBytes: ahead})
			s.Reset(test.format, nil)
			if s.Write([]byte(test.body)) == More {
				s.Close()
			}
			p := s.Prompt()
			if s.status != Ready || p.BodyBytes < test.from || p.BodyBytes > test.to {
				t.Fatalf("status %d at %d, want Ready between %d and %d", s.status, p.BodyBytes, test.from, test.to)
			}
			if string(p.Model) != test.model || p.SystemLen > 0 != test.system || len(p.Text) != limit || !p.Truncated {
				t.Errorf("model %q, system %d, %d bytes", p.Model, p.SystemLen, len(p.Text))
			}
			for _, size := range []byte{1, 3, 200} {
				again := NewScanner(Options{InspectBytes: limit, LookaheadBytes: ahead})
				if q, _ := scan(t, again, test.format, "", []byte(test.body), size); q.BodyBytes != p.BodyBytes || string(q.Text) != string(p.Text) {
					t.Errorf("in chunks of %d the decision falls at %d, in one at %d", size, q.BodyBytes, p.BodyBytes)
				}
			}
			if got := s.Write([]byte("}}}")); got != Ready || s.Close() != Ready {
				t.Errorf("a decision that was made must stand")
			}
		})
	}
}

func TestNoLookahead(t *testing.T) {
	s := NewScanner(Options{InspectBytes: 100, LookaheadBytes: -1})
	status, at := written(s, Chat, `{"messages":[{"role":"user","content":"`+strings.Repeat("x", 500))
	if status != Ready || at < 100 || at > 150 || len(s.Prompt().Text) != 100 {
		t.Errorf("%v at %d with %d bytes, want Ready at the cap", status, at, len(s.Prompt().Text))
	}
}

func TestWaitSalt(t *testing.T) {
	body := `{"model":"m","tools":[],"messages":[{"role":"user","content":"` + strings.Repeat("x", 500) + `"}],"cache_salt":"s"}`
	for _, wait := range []bool{false, true} {
		s := NewScanner(Options{InspectBytes: 100, LookaheadBytes: 1000, WaitSalt: wait})
		written(s, Chat, body)
		s.Close()
		if got := string(s.Prompt().Salt) == "s"; got != wait {
			t.Errorf("WaitSalt %v: salt %q", wait, s.Prompt().Salt)
		}
	}
}

// TestMemberOrderAtTheCap: within the lookahead a long prompt is the same in any member order.
func TestMemberOrderAtTheCap(t *testing.T) {
	long := strings.Repeat("evergreen ", 30)
	a := `{"tools":[{"name":"t"}],"model":"m","messages":[{"role":"system","content":"be"},{"role":"user","content":"` + long + `"}]}`
	b := `{"messages":[{"content":"be","role":"system"},{"content":"` + long + `","role":"user"}],"model":"m","tools":[{"name":"t"}]}`
	s, r := NewScanner(Options{InspectBytes: 120, LookaheadBytes: 1000}), NewScanner(Options{InspectBytes: 120, LookaheadBytes: 1000})
	written(s, Chat, a)
	written(r, Chat, b)
	if p, q := s.Prompt(), r.Prompt(); string(p.Text) != string(q.Text) || p.SystemLen != q.SystemLen || len(p.Text) != 120 {
		t.Errorf("\n%q\n%q", p.Text, q.Text)
	}
}

func TestNothingIsAllocatedOnceWarm(t *testing.T) {
	all := loadRequests(t)
	for i := range all { // keys longer than a capture holds need no more room either
		all[i].body = append(all[i].body, ' ')
	}
	s := NewScanner(Options{InspectBytes: 8 << 10})
	ptr, _ := ParsePointer("/request/body/text")
	read := func() {
		for i := range all {
			s.Reset(all[i].format, ptr)
			for b := all[i].body; len(b) > 0; {
				n := min(len(b), 100)
				s.Write(b[:n])
				b = b[n:]
			}
			s.Close()
			s.Prompt().Prefix(100)
		}
	}
	read()
	if n := testing.AllocsPerRun(10, read); n != 0 {
		t.Errorf("%v allocations over all requests, want none", n)
	}
}

// TestMemoryIsBounded: whatever the body, what a Scanner keeps is a small multiple of InspectBytes.
func TestMemoryIsBounded(t *testing.T) {
	long := strings.Repeat("w", 1<<20)
	for name, body := range map[string]string{
		"one string":      `{"messages":[{"role":"user","content":"` + long + `"}]}`,
		"every member":    `{"messages":[{"content":"` + long + `","name":"` + long + `","reasoning":"` + long + `","refusal":"` + long + `"}],"tools":["` + long + `"],"documents":["` + long + `"],"functions":["` + long + `"]}`,
		"many duplicates": `{"messages":[{` + strings.Repeat(`"content":"`+long[:5000]+`","name":"`+long[:5000]+`",`, 100) + `"role":"user"}]}`,
		"a long key":      `{"` + long + `":1,"model":"` + long + `","user":"` + long + `"}`,
		"a long number":   `{"tools":[` + strings.Repeat("7", 1<<20) + `]}`,
		"many slots":      `{"messages":[{"content":[` + strings.Repeat(`{"text":"a","input":[{}],"name":"b"},`, 20000) + `{}]}]}`,
	} {
		s := NewScanner(Options{InspectBytes: 4096, LookaheadBytes: 16 << 20})
		s.Reset(Chat, nil)
		s.Write([]byte(body))
		s.Close()
		if cap(s.text) > 64*4096 || cap(s.slots) > 200 {
			t.Errorf("%s: %d bytes of text, %d slots", name, cap(s.text), cap(s.slots))
		}
		s.Reset(Chat, nil)
		if cap(s.text) > 4*4096 {
			t.Errorf("%s: %d bytes are kept for the next body", name, cap(s.text))
		}
	}
}

// TestHold: a body whose text stays short is not held for longer than HoldBytes; an image that is cut there still counts.
func TestHold(t *testing.T) {
	image := func(fill string, n int) string {
		return `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat(fill, n)
	}
	read := func(body string) (*Prompt, *Scanner) {
		s := NewScanner(Options{HoldBytes: 100_000})
		s.Reset(Chat, nil)
		s.Write([]byte(body))
		return s.Prompt(), s
	}
	p, s := read(image("AAAA", 30_000))
	if s.status != Ready || p.BodyBytes != 100_000 || !p.Truncated || len(p.Text) != len("\xfeu\xfc")+16 {
		t.Fatalf("status %v at %d: %q", s.status, p.BodyBytes, p.Text)
	}
	text := string(p.Text)
	if q, _ := read(image("AAAB", 30_000)); string(q.Text) == text {
		t.Error("another image has the same digest")
	}
	if q, _ := read(" " + strings.Replace(image("AAAA", 200_000), `"m"`, `"another model"`, 1)); string(q.Text) != text {
		t.Errorf("the same image, some bytes further on, has the text %q, want %q", q.Text, text)
	}
	if want := "\xfeu\xfc" + hex16("data:image/png;base64,"+strings.Repeat("A", 64<<10-22)); text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	if q, _ := read(image("AAAA", 500)); q.BodyBytes != 0 {
		t.Error("a decision before the bound")
	}
	if _, s := read(`{"model":"m","comment":"` + strings.Repeat("x", 200_000)); s.status != Broken || s.why != NoPrompt {
		t.Errorf("without any prompt: status %v, %q, want no_prompt", s.status, s.Why())
	}
	s = NewScanner(Options{HoldBytes: -1})
	s.Reset(Chat, nil)
	if s.Write([]byte(image("AAAA", 1<<20))) != More {
		t.Error("a decision though nothing bounds it")
	}
}

// TestCapWithinACodePoint: where the cap falls within a code point, what comes behind it is read as ever.
func TestCapWithinACodePoint(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":"漢字é🍎漢字é🍎漢字é🍎漢字é🍎漢字é🍎漢字é🍎漢字é🍎"}],"documents":["ä漢字é🍎漢字é🍎漢字é🍎漢字é🍎x"],"tools":["漢字é🍎"],"model":"m"}`
	for limit := 64; limit < 120; limit += 4 {
		s, whole := NewScanner(Options{InspectBytes: limit, LookaheadBytes: 1000}), NewScanner(Options{InspectBytes: limit})
		whole.whole = true
		want, _ := scan(t, whole, Chat, "", []byte(body))
		for size := range byte(8) {
			got, _ := scan(t, s, Chat, "", []byte(body), size)
			if string(got.Text) != string(want.Text) {
				t.Errorf("cap %d, chunks of %d:\n%q, want\n%q", limit, size, got.Text, want.Text)
			}
		}
	}
}
