package prompt

import (
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/prefix"
	"warmroute/plugin/why"
)

var evergreen = strings.Repeat("evergreen ", 20_000)

func turnOf(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }

// TestReadsOnBehindTheDecision: a body that is longer than what is held has, in the end, the chain of the whole, and at
// the decision its beginning.
func TestReadsOnBehindTheDecision(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		body   string
	}{
		{"one turn", Chat, `{"model":"m","messages":[` + turnOf("user", evergreen) + `],"stream":true}`},
		{"many turns", Chat, `{"messages":[` + strings.Repeat(turnOf("user", evergreen[:7_000])+",", 30) + turnOf("user", "?") + `],"model":"m"}`},
		{"tools in front", Chat, `{"tools":[{"name":"` + evergreen[:5_000] + `"}],"model":"m","messages":[` + turnOf("user", evergreen) + `]}`},
		{"a long system prompt", Messages, `{"system":"` + evergreen + `","model":"m","messages":[` + turnOf("user", evergreen) + `]}`},
		{"completions", Completions, `{"model":"m","prompt":"` + evergreen + `"}`},
		{"tokens", Completions, `{"model":"m","prompt":[` + strings.Repeat("70000,", 30_000) + `1]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole := NewScanner(Options{HoldBytes: -1})
			p, status := scan(t, whole, test.format, "", []byte(test.body))
			if status != Ready || p.Truncated || p.BodyBytes != len(test.body) {
				t.Fatalf("whole: %v, %q at %d", status, whole.Why(), p.BodyBytes)
			}
			var want, early, late prefix.Chain
			p.Chain(&want, 1)
			for n, hash := range want.Hash {
				if got := p.Hash(1, n); got != hash {
					t.Fatalf("block %d: %x, in the chain %x", n, got, hash)
				}
			}
			for _, hold := range []int{20_000, 70_000, 100_001} {
				s := NewScanner(Options{HoldBytes: hold})
				s.Reset(test.format, nil)
				if got := s.Write([]byte(test.body[:hold-1])); got != More {
					t.Fatalf("hold %d: %v before it", hold, got)
				}
				if got := s.Write([]byte(test.body[hold-1 : hold])); got != Ready {
					t.Fatalf("hold %d: %v at it", hold, got)
				}
				q := s.Prompt()
				if q.Chain(&early, 1); !q.Truncated || q.BodyBytes != hold || early.Len() == 0 || !startsWith(want.Hash, early.Hash) {
					t.Errorf("hold %d: %d blocks are not the first of %d", hold, early.Len(), want.Len())
				}
				text := string(q.Text)
				s.Write([]byte(test.body[hold:]))
				if q.Chain(&late, 1); !slices.Equal(late.Hash, early.Hash) {
					t.Errorf("hold %d: %d blocks before the end, want the decision's %d", hold, late.Len(), early.Len())
				}
				if s.Close() != Ready || q.Truncated || q.Size() != p.Size() || string(q.Text) != text {
					t.Errorf("hold %d: in the end truncated %v, %d of %d bytes", hold, q.Truncated, q.Size(), p.Size())
				}
				if q.Chain(&late, 1); !slices.Equal(late.Hash, want.Hash) || !slices.Equal(late.End, want.End) {
					t.Errorf("hold %d: %d blocks in the end, want %d", hold, late.Len(), want.Len())
				}
			}
		})
	}
}

func startsWith(all, first []uint64) bool {
	return len(first) <= len(all) && slices.Equal(all[:len(first)], first)
}

// TestWhatComesTooLate: members that stand in front of what the decision saw do not change the chain any more, nor does a
// model; the next turn of the same client goes on from it.
func TestWhatComesTooLate(t *testing.T) {
	read := func(turns int) (*Prompt, []uint64) {
		messages := strings.Repeat(turnOf("user", evergreen[:9_000])+",", turns) + turnOf("user", "?")
		s := NewScanner(Options{HoldBytes: 50_000})
		p, status := scan(t, s, Chat, "", []byte(`{"messages":[`+messages+`],"model":"m","tools":[{"name":"`+evergreen+`"}],"user":"u"}`), 200)
		if status != Ready || p.Truncated || len(p.Model) > 0 || p.SystemLen > 0 || p.SessionFrom != FirstUserTurn {
			t.Fatalf("%v: %+v", status, visible(p))
		}
		return p, chainOf(p)
	}
	p, before := read(8)
	q, after := read(9)
	if shared := len(before) - 1; !startsWith(after, before[:shared]) || q.Size() <= p.Size() {
		t.Errorf("%d blocks are not extended by the next turn's %d", len(before), len(after))
	}
	s := NewScanner(Options{HoldBytes: 50_000})
	r, _ := scan(t, s, Chat, "", []byte(`{"messages":[`+turnOf("user", "?")+`],"tools":[{"name":"`+evergreen+`"}]}`))
	if r.SystemLen > 0 || string(r.Text) != "\xfeu\xfd?" {
		t.Errorf("tools that are cut behind the turns: %q", clip(r.Text))
	}
}

// TestDecide: the decision can be made as soon as nothing that is to come stands in front of the prompt.
func TestDecide(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		body   string
		late   bool
		want   bool
	}{
		{"all is known", Chat, `{"model":"m","tools":[],"messages":[` + turnOf("user", evergreen), false, true},
		{"tools may come", Chat, `{"model":"m","messages":[` + turnOf("user", evergreen), false, false},
		{"a model may come", Chat, `{"tools":[],"messages":[` + turnOf("user", evergreen), false, false},
		{"a system prompt may come", Messages, `{"model":"m","tools":[],"messages":[` + turnOf("user", evergreen), false, false},
		{"completions", Completions, `{"model":"m","prompt":"` + evergreen, false, true},
		{"it may continue a response", Responses, `{"model":"m","tools":[],"instructions":"","input":"` + evergreen, false, false},
		{"it may, and is late", Responses, `{"model":"m","tools":[],"instructions":"","input":"` + evergreen, true, true},
		{"it continues a response", Responses, `{"model":"m","tools":[],"instructions":"","previous_response_id":"resp_1","input":"` + evergreen, false, true},
		{"still in the system prompt, which may stand before the tools", Chat, `{"model":"m","tools":[],"messages":[{"role":"system","content":"` + evergreen, false, false},
		{"still in what may be one", Chat, `{"model":"m","tools":[],"messages":[{"content":"` + evergreen, false, false},
		{"behind it", Chat, `{"model":"m","tools":[],"messages":[` + turnOf("system", evergreen) + `,` + turnOf("user", evergreen), false, true},
		{"still in the tools", Chat, `{"model":"m","tools":[{"name":"` + evergreen, false, false},
	} {
		s := NewScanner(Options{})
		s.Reset(test.format, nil)
		if got := s.Write([]byte(test.body)); got != More {
			t.Fatalf("%s: %v", test.name, got)
		}
		if test.late {
			if s.Decide(false) > 0 {
				t.Errorf("%s: not late", test.name)
			}
		}
		if got := s.Decide(test.late) > 0; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if test.want {
			if p := s.Prompt(); len(chainOf(p)) == 0 || !p.Truncated || string(p.Model) != "m" {
				t.Errorf("%s: %+v", test.name, visible(p))
			}
			s.Commit()
			if s.Write([]byte(`"`)) != Ready || s.Close() != Ready || !s.Prompt().Truncated {
				t.Errorf("%s: a decision that was made must stand, and a broken body stays truncated", test.name)
			}
		}
	}
}

// TestOrderWithinTheWindow: a turn's members may come in any order while the turn is shorter than the window; a longer one
// whose role comes last stays as it came, and the turns behind it are as ever.
func TestOrderWithinTheWindow(t *testing.T) {
	evergreen := strings.Repeat(evergreen, 2)
	a := func(n int) string {
		return `{"model":"m","messages":[` + turnOf("user", evergreen[:n]) + `,` + turnOf("user", "?") + `]}`
	}
	b := func(n int) string {
		return `{"model":"m","messages":[{"content":"` + evergreen[:n] + `","role":"user"},` + turnOf("user", "?") + `]}`
	}
	for n, same := range map[int]bool{1_000: true, 3 * window: true, maxWindow - 100: true, maxWindow + 100: false} {
		one, other := mustScan(t, Chat, a(n)), mustScan(t, Chat, b(n))
		if got := slices.Equal(chainOf(one), chainOf(other)); got != same || one.Size() != other.Size() {
			t.Errorf("%d bytes: the same chain: %v, want %v; %d and %d bytes", n, got, same, one.Size(), other.Size())
		}
		for _, size := range []byte{1, 77, 255} {
			s := NewScanner(Options{KeepBytes: 1 << 20, BlockBytes: 16})
			if p, _ := scan(t, s, Chat, "", []byte(b(n)), size); !slices.Equal(chainOf(p), chainOf(other)) {
				t.Errorf("%d bytes in chunks of %d: another chain", n, size)
			}
		}
	}
}

func TestNothingIsAllocatedOnceWarm(t *testing.T) {
	all := loadRequests(t)
	for i := range all { // keys longer than a capture holds need no more room either
		all[i].body = append(all[i].body, ' ')
	}
	all = append(all, request{format: Chat, body: []byte(`{"model":"m","messages":[` + turnOf("user", evergreen) + `]}`)})
	s := NewScanner(Options{KeepBytes: 8 << 10})
	ptr, _ := ParsePointer("/request/body/text")
	var chain prefix.Chain
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
			s.Prompt().Chain(&chain, 1)
		}
	}
	read()
	if n := testing.AllocsPerRun(10, read); n != 0 {
		t.Errorf("%v allocations over all requests, want none", n)
	}
}

// TestMemoryIsBounded: whatever the body, a Scanner keeps the windows, KeepBytes of each part, and 12 bytes a block.
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
		s := NewScanner(Options{KeepBytes: 4096, HoldBytes: -1})
		s.Reset(Chat, nil)
		s.Write([]byte(body))
		s.Close()
		if cap(s.text) > 3*maxWindow || cap(s.slots) > 200 || cap(s.out) > 3*4096 {
			t.Errorf("%s: %d bytes of text, %d slots, %d out", name, cap(s.text), cap(s.slots), cap(s.out))
		}
		for i := range s.parts {
			if p := &s.parts[i]; cap(p.kept) > 3*4096 || p.fold.Blocks() > 1100 {
				t.Errorf("%s, part %d: %d bytes kept, %d blocks of %d bytes", name, i, cap(p.kept), p.fold.Blocks(), p.fold.Size())
			}
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
	if s.told() != Ready || p.BodyBytes != 100_000 || !p.Truncated || len(p.Text) != len("\xfeu\xfc")+16 {
		t.Fatalf("status %v at %d: %q", s.told(), p.BodyBytes, p.Text)
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
	if _, s := read(`{"model":"m","comment":"` + strings.Repeat("x", 200_000)); s.told() != Broken || s.why != why.NoPrompt {
		t.Errorf("without any prompt: status %v, %q, want no_prompt", s.told(), s.Why())
	}
	s = NewScanner(Options{HoldBytes: -1})
	s.Reset(Chat, nil)
	if s.Write([]byte(image("AAAA", 1<<20))) != More {
		t.Error("a decision though nothing bounds it")
	}
}
