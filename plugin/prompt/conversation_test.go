package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/prefix"
)

// mustScan is the prompt of a body that has one, read whole.
func mustScan(t *testing.T, f Format, body string) *Prompt {
	t.Helper()
	s := NewScanner(Options{KeepBytes: 1 << 20, BlockBytes: 16})
	p, status := scan(t, s, f, "", []byte(body))
	if status != Ready {
		t.Fatalf("%v: broken (%s): %s", f, s.Why(), body)
	}
	return p
}

func chainOf(p *Prompt) []uint64 {
	var c prefix.Chain
	p.Chain(&c, prefix.Seed(p.Model, p.Adapter, p.Salt, nil))
	return c.Hash
}

// conversations are turns in each format: body(n) has the first n of them.
var conversations = []struct {
	name   string
	format Format
	turns  int
	body   func(n int) string
}{
	{"chat", Chat, 7, func(n int) string {
		turns := []string{
			`{"role":"system","content":"Speak of trees alone."}`,
			`{"role":"user","content":"Which is oldest? Look it up."}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"look_up","arguments":"{\"what\":\"age\"}"}}]}`,
			`{"role":"tool","tool_call_id":"t1","content":"An oak of 700 years."}`,
			`{"role":"assistant","reasoning_content":"Oak.","content":[{"type":"text","text":"The oak."},{"type":"text","text":"It is 700."}]}`,
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aaaa"}},{"type":"text","text":"This one?"}]}`,
			`{"role":"assistant","content":"Yes 🌳"}`,
		}
		return `{"model":"m","messages":[` + strings.Join(turns[:n], ",") + `],"tools":[{"type":"function","function":{"name":"look_up"}}]}`
	}},
	{"messages", Messages, 4, func(n int) string {
		turns := []string{
			`{"role":"user","content":"Which is oldest?"}`,
			`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"look_up","input":{"what":"age"}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"700"}]}`,
			`{"role":"assistant","content":"The oak."}`,
		}
		return `{"model":"m","messages":[` + strings.Join(turns[:n], ",") + `],"system":[{"type":"text","text":"Speak of trees alone."}],"tools":[{"name":"look_up"}]}`
	}},
	{"responses", Responses, 5, func(n int) string {
		items := []string{
			`{"role":"user","content":"Which is oldest?"}`,
			`{"type":"function_call","call_id":"c","name":"look_up","arguments":"{}"}`,
			`{"type":"function_call_output","call_id":"c","output":"700"}`,
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"The oak."}]}`,
			`{"role":"user","content":[{"type":"input_text","text":"Thanks."}]}`,
		}
		return `{"model":"m","input":[` + strings.Join(items[:n], ",") + `],"instructions":"Speak of trees alone."}`
	}},
	{"completions", Completions, 4, func(n int) string {
		return `{"prompt":"` + strings.Join([]string{"The oak ", "is old, ", "the ash\\n", "is not."}[:n], "") + `","model":"m"}`
	}},
	{"completions of tokens", Completions, 5, func(n int) string {
		return `{"prompt":[` + strings.Join([]string{"1,2,3", "70000", "5,6,7,8", "9", "128001"}[:n], ",") + `],"model":"m"}`
	}},
	{"generate", Generate, 3, func(n int) string {
		return `{"input_ids":[` + strings.Join([]string{"1,2,3", "70000", "5,6,7,8"}[:n], ",") + `]}`
	}},
	{"pointer", Pointer, 3, func(n int) string {
		return `"` + strings.Join([]string{"The oak ", "is ", "old."}[:n], "") + `"`
	}},
}

func TestNextTurnExtendsTheOneBefore(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n < c.turns; n++ {
				before, after := mustScan(t, c.format, c.body(n)), mustScan(t, c.format, c.body(n+1))
				if !bytes.HasPrefix(after.Text, before.Text) || len(after.Text) == len(before.Text) {
					t.Fatalf("turn %d:\n%q\nis not extended by turn %d:\n%q", n, before.Text, n+1, after.Text)
				}
				if a, b := chainOf(before), chainOf(after); !slices.Equal(a, b[:len(a)]) {
					t.Fatalf("the chain of turn %d is not the beginning of that of turn %d", n, n+1)
				}
				if before.SystemLen > 0 && before.SystemLen != after.SystemLen {
					t.Errorf("SystemLen %d at turn %d, %d at turn %d", before.SystemLen, n, after.SystemLen, n+1)
				}
				if before.SessionFrom == FirstUserTurn && !bytes.Equal(before.Session, after.Session) {
					t.Errorf("session %q at turn %d, %q at turn %d", before.Session, n, after.Session, n+1)
				}
			}
		})
	}
}

// TestSpelling: member order outside of tools and arguments, whitespace and escapes do not change a prompt.
func TestSpelling(t *testing.T) {
	for _, r := range loadRequests(t) {
		if r.broken || strings.Contains(r.name, "duplicate") || strings.Contains(r.name, "invalid") || strings.Contains(r.name, "surrogates") ||
			r.format == Pointer || strings.Contains(r.name, "byte-order") {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			want := visible(mustScan(t, r.format, string(r.body)))
			delete(want, "bytes")
			early := NewScanner(Options{KeepBytes: 100})
			for seed := range uint64(12) {
				w := &respeller{choices: choices{randomChoices(seed, 1<<16)}}
				w.value(json.NewDecoder(bytes.NewReader(r.body)), "")
				got := visible(mustScan(t, r.format, w.String()))
				delete(got, "bytes")
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s\nreads\n%q, want\n%q", w.String(), got, want)
				}
				if r.name == "chat-legacy-functions" || r.name == "chat-documents" {
					continue // these two members are not waited for
				}
				early.Reset(r.format, nil)
				if early.Write(w.Bytes()) == More {
					early.Close()
				}
				text := want["text"].(string)
				if text = text[:min(len(text), early.keep)]; string(early.Prompt().Text) != text {
					t.Fatalf("%s\nis, where the decision falls early,\n%q, want\n%q", w.String(), early.Prompt().Text, text)
				}
			}
		})
	}
}

// respeller writes a JSON value anew: members in another order where that is free, other whitespace, other escapes.
type respeller struct {
	choices
	bytes.Buffer
}

func (w *respeller) space() { w.WriteString(pick(&w.choices, "", "", "", " ", "\n", "\t  ", "\r\n")) }

func (w *respeller) value(d *json.Decoder, fixed string) {
	d.UseNumber()
	w.space()
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			w.object(d, fixed)
		} else {
			w.array(d, fixed)
		}
	case string:
		w.text(token)
	default:
		b, _ := json.Marshal(token)
		w.Write(b)
	}
	w.space()
}

func (w *respeller) array(d *json.Decoder, fixed string) {
	w.WriteByte('[')
	for i := 0; d.More(); i++ {
		if i > 0 {
			w.WriteByte(',')
		}
		w.value(d, fixed)
	}
	d.Token()
	w.WriteByte(']')
}

func (w *respeller) object(d *json.Decoder, fixed string) {
	var parts [][]byte
	for d.More() {
		key, _ := d.Token()
		name := key.(string)
		inner := &respeller{choices: w.choices}
		inner.space()
		inner.text(name)
		inner.space()
		inner.WriteByte(':')
		within := fixed
		if slices.Contains([]string{"tools", "functions", "documents", "arguments", "input"}, name) {
			within = name // within these the order counts
		}
		if fixed == "" && name == "input" && w.Len() < 4 {
			within = "" // the root's input is a list of turns
		}
		inner.value(d, within)
		w.choices = inner.choices
		parts = append(parts, append([]byte(nil), inner.Bytes()...))
	}
	d.Token()
	if fixed == "" {
		for i := len(parts) - 1; i > 0; i-- {
			j := w.next(i + 1)
			parts[i], parts[j] = parts[j], parts[i]
		}
	}
	w.WriteByte('{')
	w.Write(bytes.Join(parts, []byte(",")))
	w.WriteByte('}')
}

func (w *respeller) text(s string) {
	w.WriteByte('"')
	for _, r := range s {
		switch {
		case w.next(5) == 4:
			if r >= 0x10000 {
				r -= 0x10000
				fmt.Fprintf(w, `\u%04x\u%04X`, 0xD800+r>>10, 0xDC00+r&0x3FF)
			} else {
				fmt.Fprintf(w, `\u%04x`, r)
			}
		case r == '"' || r == '\\' || r == '/' && w.next(2) == 1:
			w.WriteString("\\" + string(r))
		case r < ' ':
			fmt.Fprintf(w, `\u%04X`, r)
		default:
			w.WriteRune(r)
		}
	}
	w.WriteByte('"')
}

// A conversation is known by its first question, however short: it is a block, alone or with what stands before it in its part, and begins the next
// turn's, however the body comes. A question that fills a block is cut like any text.
func TestShortQuestionsAreKnown(t *testing.T) {
	chat := func(first string) func(more string) string {
		return func(more string) string { return `{"model":"m","messages":[` + first + more + `]}` }
	}
	user := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	for _, c := range []struct {
		name   string
		format Format
		body   func(more string) string
		blocks int // of the first turn
	}{
		{"a word", Chat, chat(user("Why?")), 1},
		{"nothing", Chat, chat(user("")), 1},
		{"of parts", Chat, chat(`{"content":[{"type":"text","text":"Why?"}],"role":"user"}`), 1},
		{"behind a system prompt", Chat, chat(`{"role":"system","content":"Be brief."},` + user("Why?")), 2},
		{"behind a greeting", Chat, chat(`{"role":"assistant","content":"Hello, I am Vera."},` + user("Why?")), 1},
		{"behind a long greeting", Chat, chat(`{"role":"assistant","content":"` + strings.Repeat("Hello. ", 40) + `"},` + user("Why?")), 1},
		{"a byte less than a block", Chat, chat(user(strings.Repeat("x", prefix.DefaultBlockBytes-len("\xfeu\xfd")-1))), 1},
		{"a block", Chat, chat(user(strings.Repeat("x", prefix.DefaultBlockBytes-len("\xfeu\xfd")))), 1},
		{"a block and half", Chat, chat(user(strings.Repeat("x", prefix.DefaultBlockBytes*3/2))), 1},
		{"of messages", Messages, func(more string) string {
			return `{"model":"m","messages":[` + user("Why?") + more + `],"system":"Be brief."}`
		}, 2},
		{"of responses", Responses, func(more string) string {
			if more == "" {
				return `{"model":"m","input":"Why?"}`
			}
			return `{"model":"m","input":[` + user("Why?") + more + `]}`
		}, 1},
	} {
		first, second := c.body(""), c.body(`,{"role":"assistant","content":"Because."},`+user("And?"))
		for _, sizes := range [][]byte{nil, {1}, {7, 30}} {
			p, _ := scan(t, NewScanner(Options{}), c.format, "", []byte(first), sizes...)
			a := slices.Clone(chainOf(p))
			p, _ = scan(t, NewScanner(Options{}), c.format, "", []byte(second), sizes...)
			if b := chainOf(p); len(a) != c.blocks || len(b) < len(a) || !slices.Equal(a, b[:len(a)]) {
				t.Errorf("%s in chunks of %v: chains of %d and %d blocks, want %d that begin the second", c.name, sizes, len(a), len(b), c.blocks)
			}
		}
	}
	// Wherever the decision falls behind the system prompt, what comes after it is read alike.
	body := `{"model":"m","messages":[{"role":"system","content":"` + strings.Repeat("Be brief. ", 100) + `"},`
	from := len(body)
	body += user("Why?") + `,{"role":"assistant","content":"Because."},` + user("And?") + `]}`
	p, _ := scan(t, NewScanner(Options{}), Chat, "", []byte(body))
	want := slices.Clone(chainOf(p))
	for hold := from; hold < len(body); hold++ {
		s := NewScanner(Options{HoldBytes: hold})
		scan(t, s, Chat, "", []byte(body))
		if got := chainOf(s.Prompt()); !slices.Equal(got, want[:min(len(got), len(want))]) || len(got) < len(want)-1 {
			t.Errorf("decided after %d bytes: a chain of %d blocks, want the %d of the whole body, or all but the question", hold, len(got), len(want))
		}
	}
}
