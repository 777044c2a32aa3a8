package fleet

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestTextPrefixIsTokenPrefix(t *testing.T) {
	text := "Größe und Gewicht – alles in UTF-8, 測試"
	whole := appendText(nil, text)
	for n := range len(text) {
		part := appendText(nil, text[:n])
		full := n / bytesPerToken
		if !slices.Equal(part[:full], whole[:full]) {
			t.Errorf("the first %d bytes do not give the first %d tokens", n, full)
		}
		if want := (n + bytesPerToken - 1) / bytesPerToken; len(part) != want {
			t.Errorf("%d bytes give %d tokens, want %d", n, len(part), want)
		}
	}
}

func render(t *testing.T, body string) []uint32 {
	t.Helper()
	_, prompts, bad := parse([]byte(body), true, "m")
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
	if slices.Equal(other[:5], one[:5]) {
		t.Error("tools do not come first")
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

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"hi"}],"tools":[1],"n":1,"seed":3}`,
		`{"prompt":[[1,2],[3]],"max_tokens":2}`, `{"prompt":["a","b"]}`, `{"prompt":[1]}`, `{"prompt":[]}`, `{"prompt":[[]]}`, `[]`, `{`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"é"},{"type":"x","image_url":"u"}],"tool_calls":[{}]}]}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, chat bool) {
		b, prompts, bad := parse(data, chat, "m")
		if bad != nil {
			if bad.message == "" || bad.status < 400 {
				t.Errorf("error %+v says nothing", bad)
			}
			return
		}
		if !json.Valid(data) || len(prompts) == 0 || b.maxTokens() < 1 {
			t.Errorf("taken: %q", data)
		}
		for _, p := range prompts {
			if len(p) == 0 {
				t.Errorf("an empty prompt of %q", data)
			}
		}
	})
}
