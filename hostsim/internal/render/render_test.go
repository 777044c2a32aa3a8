package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestTextPrefixIsTokenPrefix(t *testing.T) {
	text := "Größe und Gewicht – alles in UTF-8, 測試"
	whole := AppendText(nil, text)
	for n := range len(text) {
		part := AppendText(nil, text[:n])
		full := n / BytesPerToken
		if !slices.Equal(part[:full], whole[:full]) {
			t.Errorf("the first %d bytes do not give the first %d tokens", n, full)
		}
		if want := (n + BytesPerToken - 1) / BytesPerToken; len(part) != want {
			t.Errorf("%d bytes give %d tokens, want %d", n, len(part), want)
		}
	}
}

func render(t *testing.T, body string) []uint32 {
	t.Helper()
	_, prompts, bad := Parse([]byte(body), Chat, "m", nil)
	if bad != nil {
		t.Fatal(bad)
	}
	return prompts[0]
}

func TestTurnsExtend(t *testing.T) {
	const tools = `"tools":[{"type":"function"}]`
	one := render(t, `{"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],`+tools+`}`)
	two := render(t, `{`+strings.ReplaceAll(tools, ":", ": ")+`,"messages":[{"content":[{"type":"text","text":"be "},{"text":"brief","type":"text"}],"role":"system"},
		{"role":"user","content":"hi"},{"role":"assistant","content":"yes"},{"role":"user","content":"so"}]}`)
	if len(two) <= len(one) || !slices.Equal(two[:len(one)], one) {
		t.Error("the next turn, with other order and spacing of members, does not extend the last")
	}
	other := render(t, `{"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]}`)
	n := 0
	for n < len(other) && other[n] == one[n] {
		n++
	}
	if alone := render(t, `{"messages":[{"role":"system","content":"be brief"}]}`); n != len(alone)-4 { // "assistant" and what stands behind it
		t.Errorf("tools come behind %d tokens, and not behind the system prompt", n)
	}
}

func TestImagesByTheirURL(t *testing.T) {
	image := func(url string) []uint32 {
		return render(t, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"`+url+`"}}]}]}`)
	}
	if !slices.Equal(image("a"), image("a")) || slices.Equal(image("a"), image("b")) {
		t.Error("want the same tokens for the same URL only")
	}
}

// The other forms of a chat share the beginning that the same turns of a chat have, and only that.
func TestDialects(t *testing.T) {
	tokens := func(path, body string) []uint32 {
		t.Helper()
		r, err := Request(path, []byte(body), 1)
		if err != nil {
			t.Fatalf("%s %s: %v", path, body, err)
		}
		return r.Tokens
	}
	want := tokens("/v1/chat/completions", `{"messages":[{"role":"system","content":"Answer briefly."},{"role":"user","content":"How far is the moon?"}]}`)
	for _, c := range []struct{ path, body string }{
		{"/v1/responses", `{"instructions":"Answer briefly.","input":"How far is the moon?"}`},
		{"/v1/responses", `{"instructions":"Answer briefly.","input":[{"role":"user","content":[{"type":"input_text","text":"How far is the moon?"}]}]}`},
		{"/v1/messages", `{"system":"Answer briefly.","messages":[{"role":"user","content":"How far is the moon?"}],"max_tokens":5}`},
		{"/v1/messages", `{"system":[{"type":"text","text":"Answer briefly."}],"messages":[{"role":"user","content":[{"type":"text","text":"How far is the moon?"}]}]}`},
	} {
		if got := tokens(c.path, c.body); !slices.Equal(got, want) {
			t.Errorf("%s %s: %d tokens, want the %d of the chat", c.path, c.body, len(got), len(want))
		}
	}
	shared := func(a, b []uint32) (n int) {
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		return n
	}
	const turn = `{"role":"user","content":"How far is the moon?"}`
	for _, c := range []struct{ path, first, next string }{
		{"/v1/messages", `{"messages":[` + turn + `]}`,
			`{"messages":[` + turn + `,{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ask","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"far"}]}]}`},
		{"/v1/responses", `{"input":[` + turn + `]}`,
			`{"input":[` + turn + `,{"type":"function_call","call_id":"1","name":"ask","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"far"}]}`},
	} {
		first, next := tokens(c.path, c.first), tokens(c.path, c.next)
		if got := shared(first, next); got < len(first) || len(next) <= len(first)+8 {
			t.Errorf("%s: the next turn has %d tokens, %d as the first, which has %d", c.path, len(next), got, len(first))
		}
	}
}

// What Claude Code puts before its system prompt is no part of it.
func TestBilling(t *testing.T) {
	const turn, line = `{"role":"user","content":"hi"}`, `x-anthropic-billing-header: cc_version=2.1; cch=eb6c6;`
	for _, c := range []struct {
		name, path, body, than string
		same                   bool
	}{
		{"a block", "/v1/messages", `{"system":[{"type":"text","text":"` + line + `\nmore"},{"type":"text","text":"S"}],"messages":[` + turn + `]}`, `{"system":"S","messages":[` + turn + `]}`, true},
		{"nothing else", "/v1/messages", `{"system":[{"type":"text","text":"` + line + `"}],"messages":[` + turn + `]}`, `{"messages":[` + turn + `]}`, true},
		{"a string", "/v1/messages", `{"system":"` + line + `\nS","messages":[` + turn + `]}`, `{"system":"S","messages":[` + turn + `]}`, true},
		{"system turns", "/v1/messages", `{"messages":[` + turn + `,{"role":"system","content":"` + line + `\nmore"},{"role":"system","content":[{"type":"text","text":"` + line + `"}]}]}`,
			`{"messages":[` + turn + `]}`, true},
		{"redacted thinking", "/v1/messages", `{"messages":[` + turn + `,{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"yes"}]}]}`,
			`{"messages":[` + turn + `,{"role":"assistant","content":"yes"}]}`, true},
		{"a line", "/v1/chat/completions", `{"messages":[{"role":"system","content":"` + line + `\nS"}]}`, `{"messages":[{"role":"system","content":"S"}]}`, true},
		{"a line of a part", "/v1/chat/completions", `{"messages":[{"role":"system","content":[{"type":"text","text":"` + line + `\nS"},{"type":"text","text":"` + line + `"}]}]}`,
			`{"messages":[{"role":"system","content":"S"}]}`, true},
		{"the user's", "/v1/chat/completions", `{"messages":[{"role":"user","content":"` + line + `\nS"}]}`, `{"messages":[{"role":"user","content":"S"}]}`, false},
		{"instructions", "/v1/responses", `{"instructions":"` + line + `\nS","input":"hi"}`, `{"instructions":"S","input":"hi"}`, true},
	} {
		got, err := Request(c.path, []byte(c.body), 1)
		want, bad := Request(c.path, []byte(c.than), 1)
		if err != nil || bad != nil || slices.Equal(got.Tokens, want.Tokens) != c.same {
			t.Errorf("%s: %d tokens (%v), %d without (%v), want the same: %v", c.name, len(got.Tokens), err, len(want.Tokens), bad, c.same)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"hi"}],"tools":[1],"n":1,"seed":3}`,
		`{"prompt":[[1,2],[3]],"max_tokens":2}`, `{"prompt":["a","b"]}`, `{"prompt":[1]}`, `{"prompt":[]}`, `{"prompt":[[]]}`, `[]`, `{`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"é"},{"type":"x","image_url":"u"}],"tool_calls":[{}]}]}`,
		`{"input":[{"role":"user","content":"a"},{"type":"function_call","name":"f"},{"type":"function_call_output","call_id":"c","output":"o"}],"instructions":"i"}`,
		`{"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"tool_result","content":"r"},{"type":"image","source":{}}]}]}`,
	} {
		for kind := range byte(4) {
			f.Add([]byte(seed), kind)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind byte) {
		b, prompts, bad := Parse(data, API(kind%4), "m", nil)
		if bad != nil {
			if bad.Message == "" || bad.Status < 400 {
				t.Errorf("error %+v says nothing", bad)
			}
			return
		}
		if !json.Valid(data) || len(prompts) == 0 || b.Limit() < 1 {
			t.Errorf("taken: %q", data)
		}
		for _, p := range prompts {
			if len(p) == 0 {
				t.Errorf("an empty prompt of %q", data)
			}
		}
	})
}

// A server sees by the prompt whether it has to be tokenized.
func TestTokenized(t *testing.T) {
	for prompt, want := range map[string]bool{`"12"`: false, `["1"]`: false, `[1, 2]`: true, " [ [ 7 ] ]": true, `[]`: false, ``: false} {
		if got := (&Body{Prompt: []byte(prompt)}).Tokenized(); got != want {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
	}
}
