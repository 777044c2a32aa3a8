package find

import (
	"errors"
	"strings"
	"testing"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/loose"
)

func parse(text string) loose.Object { return loose.Read([]byte(text)).Object() }

// A body is found beside what a gateway logs, below it, in a text, or as a text of Python's; each with its path, session, answer and time.
func TestLine(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"a"}]}`
	quoted := string(loose.Marshal(body))
	for name, line := range map[string]string{
		"beside":    `{"ts":1772355600,"session_id":"s","model":"m","messages":[{"role":"user","content":"a"}],"completion_tokens":9}`,
		"below":     `{"ts":1772355600,"session_id":"s","request_body":` + body + `,"response_body":{"usage":{"completion_tokens":9}}}`,
		"a text":    `{"ts":1772355600,"session_id":"s","request":{"url":"/v1/chat/completions","body":` + quoted + `},"response":{"usage":{"completion_tokens":9}}}`,
		"wrapped":   `{"message":` + string(loose.Marshal(`{"ts":1772355600,"session_id":"s","request_body":`+quoted+`,"completion_tokens":9}`)) + `}`,
		"behind":    `2026-03-01T09:00:00Z stdout F {"session_id":"s","request_body":` + body + `,"completion_tokens":9}`,
		"in Python": `{'ts': 1772355600, 'session_id': 's', 'model': 'm', 'messages': [{'role': 'user', 'content': 'a'}], 'completion_tokens': 9}`,
	} {
		all := Line([]byte(line), nil)
		if len(all) != 1 || all[0].Call == nil {
			t.Errorf("%s: %+v", name, all)
			continue
		}
		c := all[0].Call
		if got := string(c.Body); !strings.Contains(got, `"messages":[{"role":"user","content":"a"}]`) || !strings.Contains(got, `"model":"m"`) || strings.Contains(got, "ts") || c.Path != call.ChatPath || c.Session != "sessionid s" || c.Answer.Tokens != 9 || c.Clocks[0].At != 1772355600 {
			t.Errorf("%s: %s, %+v", name, got, c)
		}
	}
}

// What is no request says why, or is handed on: to the answer's request, the conversation's other messages, a server's log.
func TestOtherLines(t *testing.T) {
	for line, want := range map[string]Found{
		`{"status":500,"model":"m","prompt":"a"}`:            {Why: "failed"},
		`{"method":"GET","model":"m","prompt":"a"}`:          {Why: "not a POST"},
		`{"path":"/v1/embeddings","model":"m","prompt":"a"}`: {Why: "not for a prompt: /v1/embeddings"},
		`{"call_type":"aembedding","model":"m"}`:             {Why: "not for a prompt: aembedding"},
		`{"model":"m","prompt":"a`:                           {Why: CutShort},
		`INFO: started`:                                      {Why: Unknown},
		`INFO Received request a: params: x`:                 {Text: `INFO Received request a: params: x`},
	} {
		all := Line([]byte(line), nil)
		if len(all) != 1 || all[0].Why != want.Why || all[0].Text != want.Text || all[0].Call != nil {
			t.Errorf("%s: %+v, want %+v", line, all, want)
		}
	}
	if all := Line([]byte(`{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}`), nil); len(all) != 1 || len(all[0].Messages) != 2 {
		t.Errorf("%+v", all)
	}
	refusal := errors.New("no")
	if all := Line([]byte(`{"model":"m","prompt":"a"}`), func(string, []byte) error { return refusal }); len(all) != 1 || !errors.Is(all[0].Refused, refusal) {
		t.Errorf("%+v", all)
	}
}

func TestFindMessage(t *testing.T) {
	s, ok := MessageOf(parse(`{"sessionId":"s","timestamp":"2026-03-01T09:00:00Z","message":{"role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"a"}],"usage":{"output_tokens":9}}}`), nil)
	if !ok || s.Session != "sessionid s" || s.Role != "assistant" || s.Content != "a" || s.Model.Text() != "m" || s.Output != 9 || s.Clocks[0].At != 1772355600 {
		t.Errorf("%v, %+v", ok, s)
	}
	for _, text := range []string{`{"role":"user","content":""}`, `{"role":"nobody","content":"a"}`, `{"content":"a"}`} {
		if s, ok := MessageOf(parse(text), nil); ok {
			t.Errorf("%s: %+v", text, s)
		}
	}
}

func TestListed(t *testing.T) {
	const body = `{"model":"m","prompt":"a"}`
	for text, want := range map[string]int{
		`{"hits":{"hits":[{"_source":` + body + `},{"_source":` + body + `}]}}`:        2,
		`{"data":{"result":[{"values":[["7",` + string(loose.Marshal(body)) + `]]}]}}`: 1, // Loki's
		`{"events":[{"message":` + string(loose.Marshal(`x `+body)) + `}]}`:            1,
		`{"items":[{"name":"a"}]}`: 0,
	} {
		if got := Listed(parse(text)); len(got) != want {
			t.Errorf("%s: %d records, want %d", text, len(got), want)
		}
	}
}

func TestHeader(t *testing.T) {
	for head, want := range map[string]string{
		"time,request_body\n": "time|request_body", "role;content;x\n": "role|content|x", "prompt\na": "prompt", "Zeit;Anfrage\n1;\"{\"\"prompt\"\":\"\"a\"\"}\"": "Zeit|Anfrage",
		"TimeGenerated [UTC]\tMessages\n": "TimeGenerated|Messages", "a,b\n1,2": "", `{"a":1,"body":2}`: "", "": "",
	} {
		if names, _ := Header([]byte(head)); strings.Join(names, "|") != want {
			t.Errorf("%q: %q, want %s", head, names, want)
		}
	}
}

// A system prompt that a gateway has among the settings of a chat is its first message.
func TestSystemAmongSettings(t *testing.T) {
	for settings, want := range map[string]string{
		`{"system":"S","max_tokens":9}`:           `{"max_tokens":9,"messages":[{"content":"S","role":"system"},{"role":"user","content":"a"}],"model":"m"}`,
		`{"instructions":"S"}`:                    `{"messages":[{"content":"S","role":"system"},{"role":"user","content":"a"}],"model":"m"}`,
		`{"system":[{"type":"text","text":"S"}]}`: `{"messages":[{"content":[{"type":"text","text":"S"}],"role":"system"},{"role":"user","content":"a"}],"model":"m"}`,
		`{"max_tokens":9}`:                        `{"max_tokens":9,"messages":[{"role":"user","content":"a"}],"model":"m"}`,
	} {
		found := Line([]byte(`{"call_type":"anthropic_messages","model":"m","messages":[{"role":"user","content":"a"}],"model_parameters":`+settings+`}`), nil)
		if len(found) != 1 || found[0].Call == nil || found[0].Call.Path != call.ChatPath || string(found[0].Call.Body) != want {
			t.Errorf("%s: %+v, %s", settings, found, found[0].Call.Body)
		}
	}
}

// MLflow has a call and its answer as texts among a span's attributes.
func TestMLflow(t *testing.T) {
	found := Line([]byte(`{"name":"llm","start_time_unix_nano":1772355600000000000,"attributes":{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"model\":\"m\",\"prompt\":\"a\"}","mlflow.spanOutputs":"{\"usage\":{\"completion_tokens\":9}}"}}`), nil)
	if len(found) != 1 || found[0].Call == nil || found[0].Call.Answer.Tokens != 9 || found[0].Call.Clocks[0].At != 1772355600 {
		t.Errorf("%+v", found)
	}
}

// A streamed answer that a log has as a list of its events, or as a text with it, is as long as the last of them says.
func TestListedEvents(t *testing.T) {
	const events = `[{"choices":[{"delta":{"content":"Row 7."}}]},{"choices":[],"usage":{"completion_tokens":33}}]`
	for answer, want := range map[string]call.Answer{
		events: {Tokens: 33, Counted: true}, string(loose.Marshal(events)): {Tokens: 33, Counted: true}, `[{"choices":[{"delta":{"content":"Row 7, 8."}}]}]`: {Tokens: call.Tokens(9)},
		`[{"type":"message_start","message":{"usage":{"output_tokens":1}}},{"type":"message_delta","usage":{"output_tokens":42}}]`: {Tokens: 42, Counted: true},
	} {
		found := Line([]byte(`{"request_body":{"model":"m","prompt":"a"},"response_body":`+answer+`}`), nil)
		if len(found) != 1 || found[0].Call == nil || found[0].Call.Answer.Tokens != want.Tokens || found[0].Call.Answer.Counted != want.Counted {
			t.Errorf("%s: %+v, want %+v", answer, found[0].Call, want)
		}
	}
}
