package fleet

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"warmroute/hostsim/internal/render"
	"warmroute/plugin/answers"
)

// The same conversation through three APIs: each answers whole and as a stream with the same text, and each tells what was
// cached, where the module reads it.
func TestAnswersOfAllAPIs(t *testing.T) {
	long := strings.Repeat("All work and no play. ", 40) // 880 bytes, 220 tokens
	for _, c := range []struct {
		path, body string
		delta      func(data []byte) string // the text of an event
		whole      func(data []byte) string
	}{
		{"/v1/chat/completions", `{"max_tokens":9,"messages":[{"role":"user","content":%q}],"stream_options":{"include_usage":true},"stream":%v}`,
			func(data []byte) string {
				if r := decode(t, data); len(r.Choices) > 0 {
					return r.Choices[0].Delta.Content
				}
				return ""
			},
			func(data []byte) string { return decode(t, data).Choices[0].Message.Content }},
		{"/v1/responses", `{"max_output_tokens":9,"input":%q,"stream":%v}`,
			func(data []byte) string {
				var e struct{ Type, Delta string }
				unmarshal(t, data, &e)
				return e.Delta
			},
			func(data []byte) string {
				var r struct {
					Output []struct{ Content []struct{ Text string } }
				}
				unmarshal(t, data, &r)
				return r.Output[0].Content[0].Text
			}},
		{"/v1/messages", `{"max_tokens":9,"messages":[{"role":"user","content":%q}],"stream":%v}`,
			func(data []byte) string {
				var e struct{ Delta struct{ Text string } }
				unmarshal(t, data, &e)
				return e.Delta.Text
			},
			func(data []byte) string {
				var m struct{ Content []struct{ Text string } }
				unmarshal(t, data, &m)
				return m.Content[0].Text
			}},
	} {
		t.Run(c.path, func(t *testing.T) {
			url := start(t, 1, 5).Replicas[0].URL() + c.path
			_, data := send(t, "POST", url, fmt.Sprintf(c.body, long, false))
			if total, cached := usageIn(data, false); total < 220 || cached != 0 {
				t.Errorf("first: %d prompt tokens, %d cached: %s", total, cached, data)
			}
			whole := c.whole(data)
			_, data = send(t, "POST", url, fmt.Sprintf(c.body, long, true))
			if total, cached := usageIn(data, true); total < 220 || cached != 224 {
				t.Errorf("second: %d prompt tokens, %d cached, want all blocks of 32, 224: %s", total, cached, data)
			}
			var streamed strings.Builder
			for line := range strings.Lines(string(data)) {
				if text, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok && text != "[DONE]" {
					streamed.WriteString(c.delta([]byte(text)))
				}
			}
			if len(whole) != 9*render.BytesPerToken || streamed.String() != whole {
				t.Errorf("whole %q, streamed %q: want the same 9 tokens", whole, streamed.String())
			}
		})
	}
}

func unmarshal(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// usageIn is what the module reads of an answer.
func usageIn(data []byte, stream bool) (total, cached int) {
	var u answers.Usage
	u.Reset(stream)
	u.Write(data)
	total, cached, _ = u.Cached()
	return total, cached
}

// Clients' libraries take events as they come: their names, order and numbers count.
func TestEventsInOrder(t *testing.T) {
	url := start(t, 1, fast).Replicas[0].URL()
	for path, want := range map[string]string{
		"/v1/responses": "response.created response.in_progress response.output_item.added response.content_part.added … " +
			"response.output_text.done response.content_part.done response.output_item.done response.completed",
		"/v1/messages": "message_start content_block_start … content_block_stop message_delta message_stop",
	} {
		_, data := send(t, "POST", url+path, `{"input":"hi","messages":[{"role":"user","content":"hi"}],"max_tokens":5,"stream":true}`)
		var names []string
		number := 0
		for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
			name, text, ok := strings.Cut(block, "\ndata: ")
			var e struct {
				Type   string
				Number *int `json:"sequence_number"`
			}
			unmarshal(t, []byte(text), &e)
			if !ok || name != "event: "+e.Type {
				t.Fatalf("%s: event %q", path, block)
			}
			if e.Number != nil && *e.Number != number {
				t.Errorf("%s: event %s has number %d, want %d", path, e.Type, *e.Number, number)
			}
			number++
			if strings.HasSuffix(e.Type, "delta") && e.Type != "message_delta" {
				e.Type = "…"
			}
			if len(names) == 0 || names[len(names)-1] != e.Type {
				names = append(names, e.Type)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestEmbeddings(t *testing.T) {
	url := start(t, 1, fast).Replicas[0].URL() + "/v1/embeddings"
	type list struct {
		Data []struct {
			Index     int
			Embedding json.RawMessage
		}
	}
	ask := func(body string) (l list) {
		_, data := send(t, "POST", url, body)
		unmarshal(t, data, &l)
		return l
	}
	l := ask(`{"input":["apple","pear","apple"]}`)
	var v []float32
	unmarshal(t, l.Data[0].Embedding, &v)
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if len(v) != 256 || math.Abs(square-1) > 1e-4 {
		t.Errorf("%d numbers of length² %g, want %d of 1", len(v), square, 256)
	}
	if apple, pear := string(l.Data[0].Embedding), string(l.Data[1].Embedding); apple == pear || apple != string(l.Data[2].Embedding) {
		t.Error("want the same vector for the same text alone")
	}
	l = ask(`{"input":"apple","encoding_format":"base64","dimensions":3}`)
	var text string
	unmarshal(t, l.Data[0].Embedding, &text)
	if bytes, err := base64.StdEncoding.DecodeString(text); err != nil || len(bytes) != 12 {
		t.Errorf("%q: %d bytes, %v; want three numbers of four bytes", text, len(bytes), err)
	}
}
