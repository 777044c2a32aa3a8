package prompt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestWhatDiffers: prompts that a replica would prefill differently have different canonical bytes.
func TestWhatDiffers(t *testing.T) {
	user := func(content string) string { return `{"messages":[{"role":"user","content":` + content + `}]}` }
	call := func(args string) string {
		return `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":` + args + `}}]}]}`
	}
	tests := []struct {
		name   string
		format Format
		bodies []string
	}{
		{"images", Chat, []string{
			user(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]`),
			user(`[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAB"}}]`),
			user(`[{"type":"image_url","image_url":{"url":"https://pictures.orchard.example/1"}}]`),
		}},
		{"an image and its digest as text", Chat, []string{
			user(`[{"type":"image_url","image_url":{"url":"` + "x" + `"}}]`), user(`"` + hex16("x") + `"`),
		}},
		{"parts and framing bytes in content", Chat, []string{
			user(`[{"text":"a"},{"text":"b"}]`), user(`"a` + "\xfd" + `b"`), user(`"ab"`), user(`"a\u00fdb"`),
		}},
		{"roles", Chat, []string{
			`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"system","content":"a"}]}`,
			`{"messages":[{"role":"developer","content":"a"}]}`, `{"messages":[{"role":"usher","content":"a"}]}`,
		}},
		{"the border of two turns", Chat, []string{
			`{"messages":[{"role":"user","content":"ab"},{"role":"user","content":"c"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"user","content":"bc"}]}`, user(`"abc"`),
		}},
		{"repeated turns", Chat, []string{
			`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"a"}]}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"user","content":"a"},{"role":"user","content":"a"}]}`,
		}},
		{"the order of turns", Chat, []string{
			`{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			`{"messages":[{"role":"user","content":"b"},{"role":"user","content":"a"}]}`,
		}},
		{"arguments", Chat, []string{call(`"{}"`), call(`{}`), call(`{"a":1}`), call(`{"a":"1"}`), call(`{"a":1.0}`), call(`{"a":null}`), call(`[["a"],1]`), call(`["a",[1]]`), call(`[["a",1]]`)}},
		{"reasoning effort", Chat, []string{
			`{"messages":[{}]}`, `{"messages":[{}],"reasoning_effort":"low"}`, `{"messages":[{}],"reasoning_effort":"high"}`,
			`{"messages":[{"content":"low"}]}`,
		}},
		{"arguments of the template", Chat, []string{
			`{"messages":[{}]}`, `{"messages":[{}],"chat_template_kwargs":{"thinking":true}}`, `{"messages":[{}],"chat_template_kwargs":{"thinking":false}}`,
			`{"messages":[{}],"reasoning_effort":"thinking"}`, `{"messages":[{}],"tools":[{"thinking":true}]}`,
		}},
		{"reasoning effort of responses", Responses, []string{
			`{"input":"a"}`, `{"input":"a","reasoning":{"effort":"low"}}`, `{"input":"a","reasoning":{"effort":"high","summary":"auto"}}`,
		}},
		{"arguments of the template of messages", Messages, []string{
			`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"user","content":"a"}],"chat_template_kwargs":{"enable_thinking":false}}`,
		}},
		{"arguments of the template of responses", Responses, []string{`{"input":"a"}`, `{"input":"a","chat_template_kwargs":{"enable_thinking":false}}`}},
		{"reasoning that is embeddings", Chat, []string{
			`{"messages":[{"role":"assistant","content":"a"}]}`, `{"messages":[{"role":"assistant","content":"a","reasoning":{"type":"prompt_embeds","data":"QUJD"}}]}`,
			`{"messages":[{"role":"assistant","content":"a","reasoning":{"type":"prompt_embeds","data":"QUJE"}}]}`, `{"messages":[{"role":"assistant","content":"a","reasoning":"QUJD"}]}`,
		}},
		{"tools", Chat, []string{
			`{"tools":[{"a":{"b":1}}],"messages":[{}]}`, `{"tools":[{"a":{},"b":1}],"messages":[{}]}`, `{"tools":[{"b":1,"a":{}}],"messages":[{}]}`,
			`{"tools":[{"a":true}],"messages":[{}]}`, `{"tools":[{"a":"true"}],"messages":[{}]}`, `{"functions":[],"messages":[{}]}`,
		}},
		{"token prompts of one length", Completions, []string{`{"prompt":[1,2]}`, `{"prompt":[2,1]}`, `{"prompt":[1,258]}`, `{"prompt":[1,131074]}`, `{"prompt":[16777217,2]}`}},
		{"token arrays", Completions, []string{`{"prompt":[[1,2],[3]]}`, `{"prompt":[[1],[2,3]]}`, `{"prompt":[[1,2,3]]}`, `{"prompt":[[1],[2],[3]]}`}},
		{"string arrays", Completions, []string{`{"prompt":["ab"]}`, `{"prompt":["a","b"]}`, `{"prompt":["","ab"]}`}},
	}
	for _, test := range tests {
		seen := map[string]string{}
		for _, body := range test.bodies {
			text := string(mustScan(t, test.format, body).Text)
			if other, found := seen[text]; found {
				t.Errorf("%s: %s and %s have the same bytes %q", test.name, other, body, text)
			}
			seen[text] = body
		}
	}
}

// TestWhatIsTheSame: spellings that reach the chat template as one.
func TestWhatIsTheSame(t *testing.T) {
	tests := [][2]string{
		{`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`},
		{`{"messages":[{"role":"user","content":"a","refusal":null}]}`, `{"messages":[{"role":"user","content":"a","cache_control":{}}],"tools":null,"reasoning_effort":null,"chat_template_kwargs":null,"seed":1}`},
		{`{"messages":[{"role":"user","content":"a"}],"tools":[]}`, `{"messages":[{"role":"user","content":"a"},null]}`},
		{`{"tools":[{"a":1,"cache_control":{"type":"ephemeral"}}],"messages":[{}]}`, `{"tools":[{"a":1}],"messages":[{}]}`},
		{`{"messages":[{"role":"user","content":"a"}],"chat_template_kwargs":{}}`, `{"messages":[{"role":"user","content":"a"}]}`},
		{`{"messages":[{"role":"assistant","content":"","reasoning_content":"","tool_calls":[{"id":"t"}]}]}`, `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"t"}]}]}`},
	}
	for _, test := range tests {
		a, b := mustScan(t, Chat, test[0]), mustScan(t, Chat, test[1])
		if !bytes.Equal(a.Text, b.Text) {
			t.Errorf("%s\nis %q, but %s\nis %q", test[0], a.Text, test[1], b.Text)
		}
	}
}

// TestEffortOfMessages: most templates render no effort, so a session whose client changes it keeps its chain.
func TestEffortOfMessages(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"a"}],"system":"Be brief."`
	want := mustScan(t, Messages, body+`}`)
	for _, more := range []string{`,"output_config":{"effort":"low"}}`, `,"output_config":{"effort":"high","format":{"type":"json_schema","schema":{"a":1}}}}`} {
		if got := mustScan(t, Messages, body+more); !bytes.Equal(got.Text, want.Text) {
			t.Errorf("%s: %q, want %q", more, got.Text, want.Text)
		}
	}
}

// TestSameModelSaltAndTenantOnly: a chain belongs to one model, adapter and salt.
func TestSameModelSaltAndTenantOnly(t *testing.T) {
	seen := map[uint64]string{}
	for _, head := range []string{``, `"model":"a",`, `"model":"b",`, `"model":"a","cache_salt":"1",`, `"model":"a","cache_salt":"2",`,
		`"model":"a1","cache_salt":"",`, `"model":"a","lora_path":"1",`, `"cache_salt":"a",`, `"lora_path":"a",`} {
		p := mustScan(t, Chat, `{`+head+`"messages":[{"role":"user","content":"`+strings.Repeat("same text ", 20)+`"}]}`)
		for i, hash := range chainOf(p) {
			at := fmt.Sprintf("block %d of {%s}", i, head)
			if other, found := seen[hash]; found {
				t.Errorf("%s and %s share a hash", at, other)
			}
			seen[hash] = at
		}
	}
}

func TestLongValuesStayDistinct(t *testing.T) {
	long := strings.Repeat("n", 1000)
	a, b := mustScan(t, Completions, `{"model":"`+long+`a","prompt":"x"}`), mustScan(t, Completions, `{"model":"`+long+`b","prompt":"x"}`)
	if bytes.Equal(a.Model, b.Model) || len(a.Model) != captureBytes+16 {
		t.Errorf("models %q and %q", a.Model, b.Model)
	}
}

func TestSession(t *testing.T) {
	const turns = `"messages":[{"role":"system","content":"s"},{"role":"user","content":"first"},{"role":"user","content":"second"}]`
	tests := []struct {
		body, session string
		from          Source
	}{
		{`{` + turns + `}`, "\xfeu\xfdfirst", FirstUserTurn},
		{`{"metadata":{"user_id":"i"},` + turns + `}`, "i", UserID},
		{`{"metadata":{"user_id":"i","session_id":"s"},` + turns + `}`, "s", SessionID},
		{`{"metadata":{"session_id":"s"},` + turns + `,"user":"u"}`, "u", User},
		{`{"user":"u",` + turns + `,"previous_response_id":"p"}`, "p", PreviousResponseID},
		{`{"user":"u",` + turns + `,"previous_response_id":"p","prompt_cache_key":"k"}`, "k", CacheKey},
		{`{"user":"","prompt_cache_key":null,"metadata":"none",` + turns + `}`, "\xfeu\xfdfirst", FirstUserTurn},
		{`{"messages":[{"role":"assistant","content":"a"}]}`, "", NoSession},
		{`{"messages":[{"role":"user","role":null,"content":"a"}]}`, "", NoSession},
	}
	for _, test := range tests {
		p := mustScan(t, Chat, test.body)
		if string(p.Session) != test.session || p.SessionFrom != test.from {
			t.Errorf("%s\nsession %q from %v, want %q from %v", test.body, p.Session, p.SessionFrom, test.session, test.from)
		}
	}
}

func TestPrefix(t *testing.T) {
	const chat = `{"tools":["é"],"messages":[{"role":"user","content":"añ漢🍎"},{"role":"other","content":"b"},{"role":"assistant","name":"z"}]}`
	tests := []struct {
		format Format
		body   string
		n      int
		want   string
	}{
		{Chat, chat, -1, ""},
		{Chat, chat, 0, ""},
		{Chat, chat, 1, "\xff\xf6é"},
		{Chat, chat, 2, "\xff\xf6é\xfeu\xfda"},
		{Chat, chat, 3, "\xff\xf6é\xfeu\xfdañ"},
		{Chat, chat, 5, "\xff\xf6é\xfeu\xfdañ漢🍎"},
		{Chat, chat, 6, "\xff\xf6é\xfeu\xfdañ漢🍎\xfexo"},
		{Chat, chat, 11, "\xff\xf6é\xfeu\xfdañ漢🍎\xfexother\xfdb"},
		{Chat, chat, 12, "\xff\xf6é\xfeu\xfdañ漢🍎\xfexother\xfdb\xfea\xfbnz"},
		{Chat, chat, 99, "\xff\xf6é\xfeu\xfdañ漢🍎\xfexother\xfdb\xfea\xfbnz"},
		{Completions, `{"prompt":"abc"}`, 2, "\xfdab"},
		{Completions, `{"prompt":[1,2,3]}`, 2, "\x01\x00\x00\x00\x02\x00\x00\x00"},
		{Completions, `{"prompt":[1,2,3]}`, 9, "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00"},
	}
	for _, test := range tests {
		if got := mustScan(t, test.format, test.body).Prefix(test.n); string(got) != test.want {
			t.Errorf("%s: Prefix(%d) = %q, want %q", test.body, test.n, got, test.want)
		}
	}
}

func TestPointer(t *testing.T) {
	s := NewScanner(Options{})
	for _, test := range []struct{ pointer, body, text string }{
		{"/a/b", `{"a":{"b":"x"}}`, "\xfdx"},
		{"/a/b", `{"a":{"b":"x"},"a":{}}`, ""},
		{"/a/b", `{"a":{"b":"x"},"a":7}`, ""},
		{"/a/b", `{"a":{"b":"x"},"a":{"b":"y"}}`, "\xfdy"},
		{"/a/b", `{"a":{"b":"x","b":null}}`, ""},
		{"/a/b", `{"b":"x","c":{"a":{"b":"x"}}}`, ""},
		{"/a/1", `{"a":["x","y"]}`, "\xfdy"},
		{"/a/1", `{"a":{"1":"z"}}`, "\xfdz"},
		{"/a/01", `{"a":["x","y"]}`, ""},
		{"/a/-", `{"a":["x","y"]}`, ""},
		{"/1/0", `[[0],["z"]]`, "\xfdz"},
		{"/~1~0", `{"/~":"x"}`, "\xfdx"},
		{"/", `{"":"x"}`, "\xfdx"},
		{"", `"x"`, "\xfdx"},
		{"", `12.50`, "\xf512.50"},
		{"", `{"a":[1,"x"]}`, "\xf9\xf6a\xf7\xf51\xf6x\xf8\xf8"},
		{"/a", `{"a":[1,2],"model":"m"}`, "\x01\x00\x00\x00\x02\x00\x00\x00"},
		{"/a", `{"a":[{"x":1},"y"]}`, "\xf9\xf6x\xf51\xf8\xfdy"},
	} {
		p, status := scan(t, s, Pointer, test.pointer, []byte(test.body))
		if status == Ready != (test.text != "") || status == Ready && string(p.Text) != test.text {
			t.Errorf("%q in %s: status %v %q, text %q, want %q", test.pointer, test.body, status, s.Why(), p.Text, test.text)
		}
	}
}
