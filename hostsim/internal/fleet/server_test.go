package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/vllm"
)

// start serves n replicas of the CPU profile at that speed.
func start(t *testing.T, n int, speed float64) *Fleet {
	t.Helper()
	p, err := vllm.LoadProfile("cpu-tiny")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Start(Options{N: n, Profile: p, Model: "tiny", Speed: speed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// fast is a speed at which tests do not wait.
const fast = 1000

// call sends a request and returns the response with its body read.
func send(t *testing.T, method, url, body string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, data
}

type reply struct {
	ID      string
	Object  string
	Model   string
	Choices []struct {
		Index   int
		Text    string
		Message struct{ Role, Content string }
		Delta   struct{ Role, Content string }
		Finish  *string `json:"finish_reason"`
	}
	Usage *usage
}

func decode(t *testing.T, data []byte) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return r
}

func TestRoutes(t *testing.T) {
	f := start(t, 1, fast)
	url := f.Replicas[0].URL()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/health", "", 200, ""},
		{"GET", "/v1/models", "", 200, `"id":"tiny"`},
		{"GET", "/metrics", "", 200, "vllm:num_requests_running"},
		{"POST", "/reset_prefix_cache", "", 200, ""},
		{"POST", "/v1/rerank", `{"query":"x"}`, 404, "Not Found"},
		{"POST", "/v1/embeddings", `{"input":"Once upon a time"}`, 200, `"prompt_tokens":4`},
		{"POST", "/v1/embeddings", `{"input":["a","b"],"encoding_format":"base64","dimensions":2}`, 200, `"prompt_tokens":2`},
		{"POST", "/v1/embeddings", `{}`, 400, "input: Field required"},
		{"POST", "/v1/embeddings", `{"input":"x","dimensions":0}`, 400, `"param":"dimensions"`},
		{"POST", "/v1/embeddings", `{"input":"x","encoding_format":"hex"}`, 400, `"param":"encoding_format"`},
		{"POST", "/v1/responses", `{"input":"hi","max_output_tokens":3}`, 200, `"output_tokens":3`},
		{"POST", "/v1/responses", `{"instructions":"Be brief.","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}]}`, 200, `"reason":"max_output_tokens"`},
		{"POST", "/v1/responses", `{"input":5}`, 400, "input: Input should be"},
		{"POST", "/v1/responses", `{"input":"hi","previous_response_id":"r"}`, 404, "Response with id 'r' not found"},
		{"POST", "/v1/messages", `{"max_tokens":3,"system":"Be brief.","messages":[{"role":"user","content":"hi"}]}`, 200, `"stop_reason":"max_tokens"`},
		{"POST", "/v1/messages", `{"messages":[{"role":"user","content":"hi"}]}`, 400, `"type":"error"`},
		{"POST", "/v1/messages", `{"model":"other","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`, 404, `"type":"error"`},
		{"POST", "/v1/messages/count_tokens", `{"messages":[{"role":"user","content":"hi"}]}`, 200, `{"input_tokens":11}`},
		{"GET", "/v1/completions", "", 405, "Method Not Allowed"},
		{"POST", "/v1/completions", `{"prompt":"Once upon a time","max_tokens":3}`, 200, `"completion_tokens":3`},
		{"POST", "/v1/completions", `{"prompt":["a b c d","e"],"max_tokens":3}`, 200, `"completion_tokens":6`},
		{"POST", "/v1/completions", `{"prompt":[1,2,3,4,5]}`, 200, `"prompt_tokens":5`},
		{"POST", "/v1/completions", `{"prompt":[[1,2,3],[4,5]]}`, 200, `"prompt_tokens":5`},
		{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, 200, `"completion_tokens":16`},
		{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5,"max_tokens":9}`, 200, `"completion_tokens":5`},
		{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"http://x/y.png"}}]}]}`, 200, `"prompt_tokens":1288`},
		{"POST", "/v1/completions", `{"prompt":`, 400, `"code":400`},
		{"POST", "/v1/completions", `{}`, 400, "prompt: Field required"},
		{"POST", "/v1/completions", `{"prompt":""}`, 400, "cannot be empty"},
		{"POST", "/v1/completions", `{"prompt":{"a":1}}`, 400, "BadRequestError"},
		{"POST", "/v1/completions", `{"prompt":"x","n":2}`, 400, `"param":"n"`},
		{"POST", "/v1/completions", `{"prompt":"x","max_tokens":0}`, 400, `"param":"max_tokens"`},
		{"POST", "/v1/completions", `{"prompt":"x","max_tokens":99999}`, 400, "maximum context length is 8192"},
		{"POST", "/v1/completions", `{"model":"other","prompt":"x"}`, 404, "NotFoundError"},
		{"POST", "/v1/chat/completions", `{"messages":[]}`, 400, "messages: Field required"},
		{"POST", "/v1/chat/completions", `{"messages":[{"content":"x"}]}`, 400, "messages[0].role"},
		{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"smell"}]}]}`, 400, "Unknown part type: smell"},
		{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":5}]}`, 400, "messages[0].content"},
		{"POST", "/fault", `{"mode":"odd"}`, 400, "mode"},
		{"POST", "/fault", `{"mode":"error","status":200}`, 400, "status"},
		{"POST", "/fault", `{"mode":"slow","factor":0}`, 400, "factor"},
		{"POST", "/fault", `nothing`, 400, "fault"},
	} {
		t.Run(fmt.Sprint(c.method, c.path, c.body), func(t *testing.T) {
			response, data := send(t, c.method, url+c.path, c.body)
			if response.StatusCode != c.status || !bytes.Contains(data, []byte(c.want)) {
				t.Errorf("got %d %s; want %d with %q", response.StatusCode, data, c.status, c.want)
			}
			if got := response.Header.Get("X-Replica"); got != "replica-0" {
				t.Errorf("x-replica %q, want replica-0", got)
			}
			if c.status == 400 {
				var e struct {
					Error struct {
						Message, Type string
						Code          int
					}
				}
				code := 400
				if c.path == "/v1/messages" {
					code = 0 // Anthropic's form has none
				}
				if err := json.Unmarshal(data, &e); err != nil || e.Error.Message == "" || e.Error.Type == "" || e.Error.Code != code {
					t.Errorf("error %s: want message, type and code", data)
				}
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	f := start(t, 2, fast)
	ask := func(i int, body string) reply {
		_, data := send(t, "POST", f.Replicas[i].URL()+"/v1/chat/completions", body)
		return decode(t, data)
	}
	const hello = `{"messages":[{"role":"user","content":"hello"}],"max_tokens":20}`
	a, b := ask(0, hello), ask(1, hello)
	text := a.Choices[0].Message.Content
	if text != b.Choices[0].Message.Content || len(text) != 20*render.BytesPerToken {
		t.Errorf("answers %q and %q: want the same 80 bytes", text, b.Choices[0].Message.Content)
	}
	if c := ask(0, strings.Replace(hello, "}", `,"x":1}`, 1)); c.Choices[0].Message.Content != text {
		t.Error("a member that is not read changed the answer")
	}
	if c := ask(0, strings.Replace(hello, "hello", "hallo", 1)); c.Choices[0].Message.Content == text {
		t.Error("another prompt gave the same answer")
	}
	if c := ask(0, `{"seed":7,`+hello[1:]); c.Choices[0].Message.Content == text {
		t.Error("another seed gave the same answer")
	}
	if a.Object != "chat.completion" || a.Model != "tiny" || a.Choices[0].Message.Role != "assistant" || *a.Choices[0].Finish != "length" {
		t.Errorf("got %+v", a)
	}
}

func TestNextTurnHitsTheAnswer(t *testing.T) {
	f := start(t, 1, fast)
	url := f.Replicas[0].URL() + "/v1/chat/completions"
	long := strings.Repeat("All work and no play. ", 40) // 880 bytes, 220 tokens
	_, data := send(t, "POST", url, fmt.Sprintf(`{"messages":[{"role":"user","content":%q}],"max_tokens":200}`, long))
	first := decode(t, data)
	_, data = send(t, "POST", url, fmt.Sprintf(`{"messages":[{"role":"user","content":%q},{"role":"assistant","content":%q},{"role":"user","content":"go on"}]}`,
		long, first.Choices[0].Message.Content))
	second := decode(t, data)
	// All of the first turn but its last token has been computed; full blocks of 32 hit.
	want := (first.Usage.TotalTokens - 1) / 32 * 32
	if got := second.Usage.Details.CachedTokens; got != want {
		t.Errorf("cached %d tokens, want %d", got, want)
	}
}

func TestCacheIsolationAndReset(t *testing.T) {
	f := start(t, 1, fast)
	url := f.Replicas[0].URL()
	prompt := strings.Repeat("x", 4*100)
	cached := func(more string) int {
		_, data := send(t, "POST", url+"/v1/completions", fmt.Sprintf(`{"prompt":%q,"max_tokens":1%s}`, prompt, more))
		return decode(t, data).Usage.Details.CachedTokens
	}
	for i, c := range []struct {
		more string
		want int
	}{{"", 0}, {"", 96}, {`,"cache_salt":"a"`, 0}, {`,"cache_salt":"a"`, 96}, {`,"cache_salt":"b"`, 0}} {
		if got := cached(c.more); got != c.want {
			t.Errorf("request %d (%s): cached %d, want %d", i, c.more, got, c.want)
		}
	}
	send(t, "POST", url+"/reset_prefix_cache", "")
	if got := cached(""); got != 0 {
		t.Errorf("after reset: cached %d, want 0", got)
	}
}

// events splits a stream into the data of its events.
func events(t *testing.T, data []byte) []string {
	t.Helper()
	var out []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if line := lines.Text(); line != "" {
			event, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				t.Fatalf("line %q is not data", line)
			}
			out = append(out, event)
		}
	}
	return out
}

func TestStream(t *testing.T) {
	f := start(t, 1, 5) // slow enough that the stream is written in several parts
	for _, c := range []struct {
		path, body, object string
		prompts            int
		usage              bool
	}{
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}`, "chat.completion.chunk", 1, true},
		{"/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}],"max_tokens":9,"stream":true}`, "chat.completion.chunk", 1, false},
		{"/v1/completions", `{"prompt":["hi","there"],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}`, "text_completion", 2, true},
	} {
		response, data := send(t, "POST", f.Replicas[0].URL()+c.path, c.body)
		if got := response.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
			t.Errorf("content type %q", got)
		}
		all := events(t, data)
		if all[len(all)-1] != "[DONE]" {
			t.Fatalf("last event %q, want [DONE]", all[len(all)-1])
		}
		all = all[:len(all)-1]
		if c.usage {
			last := decode(t, []byte(all[len(all)-1]))
			if last.Choices == nil || len(last.Choices) != 0 || last.Usage == nil || last.Usage.CompletionTokens != 9*c.prompts {
				t.Errorf("usage chunk %s: want empty choices and %d tokens", all[len(all)-1], 9*c.prompts)
			}
			all = all[:len(all)-1]
		}
		texts, finished := make([]string, c.prompts), 0
		for i, event := range all {
			r := decode(t, []byte(event))
			if r.Usage != nil || r.Object != c.object || len(r.Choices) != 1 {
				t.Errorf("chunk %s", event)
			}
			if c.prompts == 1 && i == 0 && r.Choices[0].Delta.Role != "assistant" {
				t.Errorf("first chunk %s: want the role", event)
			}
			texts[r.Choices[0].Index] += r.Choices[0].Text + r.Choices[0].Delta.Content
			if r.Choices[0].Finish != nil {
				finished++
			}
		}
		for _, text := range texts {
			if len(text) != 9*render.BytesPerToken {
				t.Errorf("streamed %q, want 9 tokens", text)
			}
		}
		if finished != c.prompts {
			t.Errorf("%d chunks with a finish reason, want %d", finished, c.prompts)
		}
	}
}
