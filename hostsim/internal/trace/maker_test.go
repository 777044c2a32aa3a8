package trace

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
)

// prompt reads a made body as a server does.
func prompt(t testing.TB, body []byte) string {
	t.Helper()
	var v struct {
		Model     string
		Prompt    string
		Messages  []struct{ Role, Content string }
		MaxTokens int `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %.100s", err, body)
	}
	if v.Model != `a "model"` || v.MaxTokens < 1 {
		t.Fatalf("model %q, %d tokens", v.Model, v.MaxTokens)
	}
	if len(v.Messages) > 0 {
		return v.Messages[0].Content
	}
	return v.Prompt
}

func TestMakerKeepsWhatIsShared(t *testing.T) {
	for _, file := range []string{"mooncake.jsonl", "sessions.jsonl", "azure.csv"} {
		tr := mustOpen(t, filepath.Join(own, file), Options{})
		for _, chat := range []bool{false, true} {
			m := &Maker{Model: `a "model"`, Chat: chat}
			var texts []string
			for i := range tr.Requests {
				r := &tr.Requests[i]
				body, path := m.Append(nil, tr, r)
				if path != m.Path() {
					t.Errorf("path %s, want %s", path, m.Path())
				}
				text := prompt(t, body)
				if len(text) != r.InputTokens*BytesPerToken {
					t.Errorf("%s: request %d: %d bytes, want %d tokens of 4", file, i, len(text), r.InputTokens)
				}
				texts = append(texts, text)
			}
			for i, a := range tr.Requests {
				for j, b := range tr.Requests[:i] {
					want := min(commonIDs(a.Blocks, b.Blocks)*tr.BlockSize, a.InputTokens, b.InputTokens)
					got := commonBytes(texts[i], texts[j]) / BytesPerToken
					if got < want || got > want+2 { // a chance of 1 in 1024 a token
						t.Errorf("%s: requests %d and %d share %d tokens, want %d", file, i, j, got, want)
					}
				}
			}
		}
	}
}

func commonIDs(a, b Blocks) int {
	x, y := a.Append(nil), b.Append(nil)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

func commonBytes(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func TestMakerText(t *testing.T) {
	m := &Maker{}
	all := m.AppendText(nil, 7, 512)
	for _, n := range []int{0, 1, 5, 6, 7, 511} {
		if got := m.AppendText([]byte("x"), 7, n); !bytes.Equal(got[1:], all[:4*n]) || got[0] != 'x' {
			t.Errorf("%d tokens are not the first of 512", n)
		}
	}
	if want := "mev fal hij hej "; string(all[:16]) != want {
		t.Errorf("the text of a block has changed: %q, want %q", all[:16], want)
	}
	other := (&Maker{Seed: 1}).AppendText(nil, 7, 512)
	if commonBytes(string(all), string(other)) > 4 {
		t.Error("another seed gives the same text")
	}
}

func TestMakerAllocatesNothing(t *testing.T) {
	tr := mustOpen(t, filepath.Join(own, "mooncake.jsonl"), Options{})
	m := &Maker{Model: "m"}
	buf := make([]byte, 0, 1<<16)
	if n := testing.AllocsPerRun(100, func() { buf, _ = m.Append(buf[:0], tr, &tr.Requests[2]) }); n != 0 {
		t.Errorf("%v allocations a body, want none", n)
	}
}

func BenchmarkMaker(b *testing.B) {
	m := &Maker{}
	buf := make([]byte, 0, 2048)
	b.SetBytes(2048)
	for i := range uint32(b.N) {
		buf = m.AppendText(buf[:0], i, 512)
	}
}

// A body for a whole answer is the same prompt, and asks for no stream, whether it was recorded or is made.
func TestMakerOfWholeAnswers(t *testing.T) {
	recorded := []byte(`{"model":"a \"model\"","max_tokens":3,"stream":true,"stream_options":{"include_usage":true},"prompt":"Pears"}`)
	tr := mustOpen(t, filepath.Join(own, "mooncake.jsonl"), Options{})
	for _, r := range []*Request{&tr.Requests[0], {Body: recorded, Path: "/v1/completions"}} {
		streamed, path := (&Maker{Model: `a "model"`}).Append(nil, tr, r)
		whole, same := (&Maker{Model: `a "model"`, Whole: true}).Append(nil, tr, r)
		if prompt(t, whole) != prompt(t, streamed) || same != path {
			t.Errorf("another prompt or path: %.200s", whole)
		}
		if !bytes.Contains(streamed, []byte(`"stream":true`)) || bytes.Contains(whole, []byte(`stream`)) {
			t.Errorf("%.200s, of %.200s", whole, streamed)
		}
	}
	if got := withoutStream([]byte("[1]")); string(got) != "[1]" {
		t.Errorf("no object becomes %s", got)
	}
}
