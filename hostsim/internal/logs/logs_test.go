package logs

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/timeline"
	"warmroute/hostsim/internal/trace"
)

const folder = "../../../testdata/logs/"

func readFiles(t *testing.T, o Options, names ...string) ([]trace.Line, *Report) {
	t.Helper()
	var files []File
	for _, name := range names {
		f, err := os.Open(folder + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, File{name, f})
	}
	lines, report, err := Read(files, o)
	if err != nil {
		t.Fatalf("%v: %v", names, err)
	}
	return lines, report
}

// want is what a request must come to.
type want struct {
	t       float64
	session string // equal ones, equal names
	path    string
	output  int
}

// The same traffic, as each kind of log has it.
func TestShapes(t *testing.T) {
	const chat, text = "/v1/chat/completions", "/v1/completions"
	for _, c := range []struct {
		files []string
		want  []want
		notes []string
	}{
		{[]string{"access-nginx.jsonl"}, []want{{0, "a", chat, 19}, {1.25, "b", chat, 19}, {6.75, "a", chat, 19}},
			[]string{"Left out: 1, failed; the first is access-nginx.jsonl:6.", "not for a prompt: /v1/embeddings", "1 from the next turn", "Without a known length: 2 answers, taken to have 19 tokens"}},
		{[]string{"access-nginx.log"}, []want{{0, "a", chat, 19}, {2, "b", chat, 19}, {6, "a", chat, 19}},
			[]string{"Left out: 1, failed; the first is access-nginx.log:6.", "neither JSON, nor"}},
		{[]string{"access-envoy.jsonl"}, []want{{0, "a", chat, 6}, {6.75, "b", "/v1/messages", 9}}, nil},
		{[]string{"litellm.jsonl"}, []want{{0, "a", chat, 21}, {6.75, "a", chat, 12}}, []string{"not for a prompt: aembedding", "failed"}},
		{[]string{"litellm-spend.json"}, []want{{0, "a", chat, 21}, {6.75, "a", chat, 12}}, nil},
		{[]string{"litellm-spend.csv"}, []want{{0, "a", chat, 21}, {6.75, "a", chat, 12}}, nil},
		{[]string{"batch-requests.jsonl", "batch-answers.jsonl"}, []want{{0, "a", chat, 21}, {1, "b", "/v1/responses", 9}}, []string{"The log has no times: requests are taken to come 1 s apart"}},
		{[]string{"batch-answers.jsonl", "batch-requests.jsonl"}, []want{{0, "a", chat, 21}, {1, "b", "/v1/responses", 9}}, nil},
		{[]string{"vllm.log"}, []want{{0, "a", text, 19}, {7, "a", text, 19}}, []string{"2 requests in 1 session (the log names it for 0; 1 continue the prompt of another) from", "Without a known length: 1 answer,"}},
		{[]string{"otel-spans.jsonl"}, []want{{0, "a", chat, 21}, {6.75, "a", chat, 12}}, []string{"not for a prompt: invoke_agent", "failed", "no request body", "(the log names it for 2"}},
		{[]string{"browser.har"}, []want{{0, "a", chat, 21}, {6.75, "a", chat, 12}}, []string{"not a POST", "failed"}},
		{[]string{"sharegpt.json"}, []want{{0, "a", chat, 19}, {2, "b", chat, 6}, {20, "a", chat, 8}}, []string{"Whole 2 conversations: each answer is taken for a request's, and turns to begin 20 s apart", "no times"}},
		{[]string{"messages.csv"}, []want{{0, "a", chat, 19}, {2, "b", chat, 4}, {6.75, "a", chat, 8}}, []string{"3 requests in 2 sessions", "Put together of 7 messages"}},
		{[]string{"bodies.jsonl"}, []want{{0, "a", chat, 19}, {1, "b", chat, 19}, {2, "a", chat, 19}}, []string{"no times"}},
		{[]string{"bedrock.jsonl"}, []want{{0, "a", "/v1/messages", 9}, {0, "b", chat, 9}, {7, "a", "/v1/messages", 9}, {7, "b", chat, 9}}, nil},
		{[]string{"gemini.jsonl"}, []want{{0, "a", chat, 9}, {7, "a", chat, 9}}, nil},
		{[]string{"langfuse.jsonl"}, []want{{0, "a", "/v1/responses", 9}, {7, "a", "/v1/responses", 9}}, []string{"the log names it for 2"}},
		{[]string{"langsmith.jsonl"}, []want{{0, "a", chat, 9}, {7, "a", chat, 9}}, nil},
		{[]string{"sglang.log"}, []want{{0, "a", text, 9}, {7, "a", text, 9}}, []string{"neither JSON, nor"}},
		{[]string{"wrapped.log"}, []want{{0, "a", chat, timeline.DefaultOutput}, {1.25, "b", chat, timeline.DefaultOutput}}, []string{"Without a known length: 2 answers, taken to have 211 tokens"}},
	} {
		lines, report := readFiles(t, Options{}, c.files...)
		notes := strings.Join(report.Notes(), "\n")
		if len(lines) != len(c.want) {
			t.Errorf("%v: %d requests, want %d\n%s", c.files, len(lines), len(c.want), notes)
			continue
		}
		names := map[string]string{}
		for i, w := range c.want {
			l := lines[i]
			if name, known := names[w.session]; known && name != l.Session {
				t.Errorf("%v: request %d is in session %q, want %q", c.files, i, l.Session, name)
			}
			names[w.session] = l.Session
			if d := l.T - w.t; d > 1e-6 || d < -1e-6 || l.Path != w.path || l.OutputTokens != w.output || !json.Valid(l.Body) {
				t.Errorf("%v: request %d is at %v, %s, %d tokens; want %+v", c.files, i, l.T, l.Path, l.OutputTokens, w)
			}
			if bytes.Contains(l.Body, []byte("startTime")) || bytes.Contains(l.Body, []byte("custom_id")) {
				t.Errorf("%v: the body has the log's members: %s", c.files, l.Body)
			}
		}
		if len(names) == 2 && names["a"] == names["b"] {
			t.Errorf("%v: one session, want two", c.files)
		}
		for _, n := range c.notes {
			if !strings.Contains(notes, n) {
				t.Errorf("%v: the notes lack %q:\n%s", c.files, n, notes)
			}
		}
	}
}

// Every example of docs/traces.md is the beginning of a file that is read here.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(folder + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if !bytes.Contains(doc, []byte("testdata/logs/"+filepath.Base(f))) {
			t.Errorf("docs/traces.md does not name %s", filepath.Base(f))
		}
	}
}

func TestThink(t *testing.T) {
	lines, _ := readFiles(t, Options{}, "litellm.jsonl")
	if got := lines[1].Think; got < 5.24 || got > 5.26 {
		t.Errorf("think %v s, want 5.25: 6.75 s after the request, which took 1.5 s", got)
	}
}

func TestOptions(t *testing.T) {
	lines, _ := readFiles(t, Options{Gap: 250e6, OutputTokens: 7, Skip: 1, Limit: 2}, "bodies.jsonl")
	if len(lines) != 2 || lines[1].T != 0.25 || lines[0].OutputTokens != 7 {
		t.Errorf("%+v", lines)
	}
	refuse := func(_ string, body []byte) error {
		if bytes.Contains(body, []byte("frost of Tuesday")) {
			return os.ErrInvalid
		}
		return nil
	}
	lines, report := readFiles(t, Options{Accept: refuse}, "bodies.jsonl")
	if len(lines) != 2 || !strings.Contains(strings.Join(report.Notes(), " "), "its body cannot be replayed: invalid argument") {
		t.Errorf("%d requests; %q", len(lines), report.Notes())
	}
}

// A log that has nothing is refused with its line 1, the reason, and the nearest shape.
func TestNothing(t *testing.T) {
	for _, c := range []struct{ log, near string }{
		{`{"time":"2026-03-01T09:00:00Z","method":"POST","path":"/v1/chat/completions","status":200}`, "access log with bodies"},
		{`{"call_type":"acompletion","startTime":1,"model_group":"m","messages":"redacted-by-litellm"}`, "LiteLLM"},
		{`{"custom_id":"a","response":{"status_code":200,"body":{}}}`, "OpenAI batch"},
		{`INFO 03-01 09:00:01 [logger.py:43] Received request cmpl-1: params: SamplingParams(n=1), lora_request: None.`, "vLLM request log"},
		{`{"role":"user","content":"hello"}`, "bare bodies"},
		{`{"conversations":[{"from":"human","value":"Hello?"}]}`, "whole conversations"},
		{`{"name":"chat m","start_time":"2026-03-01T09:00:00Z","attributes":{"gen_ai.operation.name":"chat","gen_ai.request.model":"m"}}`, "OpenTelemetry spans with messages"},
		{`10.0.0.1 - - [01/Mar/2026:09:00:00 +0000] "POST /v1/chat/completions HTTP/1.1" 200 512`, "access log with bodies"},
		{`Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type`, lengths},
	} {
		_, _, err := Read([]File{{"a.log", strings.NewReader(c.log + "\n")}}, Options{})
		if err == nil {
			t.Errorf("%s: taken", c.log)
			continue
		}
		for _, part := range []string{"a.log: no request in 1 lines", "first at line 1", c.log, `"` + c.near + `"`, "docs/traces.md"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error lacks %q:\n%v", c.log, part, err)
			}
		}
	}
	for log, part := range map[string]string{
		`{"time":"2026-03-01T09:00:00Z","request_body":"{\"model\":\"m\",\"messages\":[{\"role\""}`: "a body that was cut short",
		`{"custom_id":"a","response":{"status_code":200,"body":{}}}`:                                "Give the requests too: hostsim import REQUESTS ANSWERS",
		`10.0.0.1 - - [01/Mar/2026:09:00:00 +0000] "POST /v1/chat/completions HTTP/1.1" 200 512`:    `hostsim advise --record`,
		`{"attributes":{"gen_ai.operation.name":"chat","gen_ai.request.model":"m"}}`:                "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
		`{"call_type":"acompletion","startTime":1,"messages":{},"proxy_server_request":{}}`:         "store_prompts_in_spend_logs",
		"\x1b[2Jclear":                      "·[2Jclear",
		"time,body\n2026-03-01T09:00:00Z,x": "no request body",
	} {
		if _, _, err := Read([]File{{"a.log", strings.NewReader(log + "\n")}}, Options{}); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: the error lacks %q:\n%v", log, part, err)
		}
	}
	if _, _, err := Read([]File{{"a.log", strings.NewReader("\n")}}, Options{}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("of an empty file: %v", err)
	}
}

// A body may be written in several ways around its JSON.
func TestBodies(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"a \"b\" c"}]}`
	quoted, _ := json.Marshal(body)
	for _, log := range []string{
		body, `{"ts":1772355600,"request_body":` + string(quoted) + `}`, `{"ts":1772355600,"body":"` + base64.StdEncoding.EncodeToString([]byte(body)) + `"}`,
		`x [01/Mar/2026:09:00:00 +0000] "POST /v1/chat/completions HTTP/1.1" 200 ` + body + ` 1.5`,
		`x [01/Mar/2026:09:00:00 +0000] "POST /v1/chat/completions HTTP/1.1" 200 ` + string(quoted) + ` "curl"`,
		`x [2026-03-01T09:00:00Z] "` + strings.NewReplacer(`\`, `\x5C`, `"`, `\x22`).Replace(body) + `" {}`,
		"ts\trequest_body\n1772355600\t" + body,
		"ts;request_body\n1772355600;\"" + strings.ReplaceAll(body, `"`, `""`) + `"`,
	} {
		lines, _, err := Read([]File{{"a.log", strings.NewReader(log + "\n")}}, Options{})
		var got struct{ Messages []struct{ Content string } }
		if err != nil || len(lines) != 1 || json.Unmarshal(lines[0].Body, &got) != nil || len(got.Messages) != 1 || got.Messages[0].Content != `a "b" c` {
			t.Errorf("%s: %v, %+v", log, err, lines)
		}
	}
}

func FuzzRead(f *testing.F) {
	names, _ := filepath.Glob(folder + "*")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, log := range natural() {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, report, err := Read([]File{{"f", bytes.NewReader(data)}}, Options{})
		if err != nil {
			return
		}
		if report.Requests != len(lines) || len(lines) == 0 {
			t.Errorf("%d requests, %d reported", len(lines), report.Requests)
		}
		for i, l := range lines {
			if l.OutputTokens < 1 || l.T < 0 || l.Think < 0 || !json.Valid(l.Body) || l.Session == "" || l.Path == "" || i > 0 && l.T < lines[i-1].T {
				t.Errorf("request %d: %+v", i, l)
			}
		}
	})
}
