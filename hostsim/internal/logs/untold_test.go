package logs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a log has in place of prompts is named for what it is: nothing is concluded from it, and what would help is said.
func TestUntold(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	for name, c := range map[string]struct{ log, why, cure string }{
		"redacted":                  {`{"path":"/v1/chat/completions","request_body":{"model":"m","messages":[{"role":"user","content":"[REDACTED]"}]}}`, "a placeholder or a hash in place of what was said", "hostsim advise --record"},
		"hashed":                    {`{"path":"/v1/chat/completions","request_body":{"model":"m","messages":[{"role":"user","content":"` + hash + `"}]}}`, "a placeholder or a hash in place of what was said", "hostsim advise --record"},
		"nginx's, in files":         {`{"request":"POST /v1/chat/completions HTTP/1.1","status":"200","request_body":"-"}`, "the longest are missing", "client_body_buffer_size 4m"},
		"nginx's, escape=json":      {`{"method":"POST","uri":"/v1/chat/completions","status":"200","request_body":""}`, "the longest are missing", "client_body_buffer_size 4m"},
		"cut by LiteLLM":            {`{"call_type":"acompletion","startTime":"2026-03-01T09:00:00Z","messages":[{"role":"user","content":"You are Claude Code... (litellm_truncated 12982 chars)"}]}`, "texts the log has cut in the middle", "MAX_STRING_LENGTH_PROMPT_IN_DB"},
		"cut by LiteLLM, the newer": {`{"call_type":"acompletion","startTime":"2026-03-01T09:00:00Z","messages":[{"role":"user","content":"You are... (litellm_truncated skipped 12982 chars) ...Goodbye"}]}`, "texts the log has cut in the middle", "MAX_STRING_LENGTH_PROMPT_IN_DB"},
		"the journal's, too large":  {`{"__REALTIME_TIMESTAMP":"1772355600000000","MESSAGE":null}`, "null in place of a message", "journalctl --all"},
		"Bedrock's, in an object":   {`{"schemaType":"ModelInvocationLog","timestamp":"2026-03-01T09:00:00Z","modelId":"m","input":{"inputBodyS3Path":"s3://a/b.json.gz","inputTokenCount":30000},"output":{"outputTokenCount":7}}`, "the longest prompts are missing", "inputBodyS3Path"},
		"a GET":                     {`{"request":"GET /v1/models HTTP/1.1","status":"200","request_body":"-"}`, "no request body", "hostsim advise --record"},
		"events of one message": {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.user.message","timeUnixNano":"1772355600000000000","body":{"kvlistValue":{"values":[{"key":"content","value":{"stringValue":"Hi"}}]}},"attributes":[{"key":"gen_ai.system","value":{"stringValue":"openai"}}]}]}]}]}`,
			"an event with one message of a call", "gen_ai_latest_experimental"},
	} {
		_, _, err := Read([]File{{"a.log", strings.NewReader(c.log + "\n")}}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.why) || !strings.Contains(err.Error(), c.cure) {
			t.Errorf("%s: %v; want %q and %q", name, err, c.why, c.cure)
		}
	}
}

// A log whose prompts the server found much longer than their text is does not show what was sent.
func TestShortened(t *testing.T) {
	const line = `{"ts":1772355600,"body":{"model":"m","messages":[{"role":"user","content":"Which row is ripe first, and which comes after it?"}]},"response":{"usage":{"prompt_tokens":%d,"completion_tokens":7}}}`
	for tokens, want := range map[int]bool{12: false, 40: false, 4000: true} {
		_, report, err := Read([]File{{"a.log", strings.NewReader(fmt.Sprintf(line, tokens) + "\n")}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(report.Notes(), " "); strings.Contains(said, "the server counted") != want {
			t.Errorf("%d tokens: %s", tokens, said)
		}
	}
}

// Bodies in places of other logs: of Envoy's access log service, of a table whose column has a log's line, and of one that a database
// has written with its escapes.
func TestFurtherIn(t *testing.T) {
	const body = `{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Say \\\"row 7\\\"\\n C:\\\\tmp\"}]}`
	plain := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(body)
	const want = `{"messages":[{"content":"Say \"row 7\"\n C:\\tmp","role":"user"}],"model":"m"}`
	envoy := `"common_properties":{"start_time":"2026-03-01T09:00:00Z","metadata":{"filter_metadata":{"envoy.lua":{"request_body":"` + body + `"}}}},"request":{"path":"/v1/chat/completions"},"response":{"response_code":200}`
	for name, log := range map[string]string{
		"Envoy's access log service":        `{` + envoy + `}`,
		"the same, as messages":             `{"httpLogs":{"logEntry":[{` + envoy + `}]}}`,
		"systemd's journal, as bytes":       `{"__REALTIME_TIMESTAMP":"1772355600000000","MESSAGE":` + strings.ReplaceAll(fmt.Sprint([]byte(`{"body":`+plain+`}`)), " ", ",") + `}`,
		"Datadog's table":                   "Date,Host,Content\n2026-03-01T09:00:00Z,a," + `"{""ts"":1772355600,""body"":` + strings.ReplaceAll(plain, `"`, `""`) + `}"`,
		"mysql --batch, COPY of PostgreSQL": "ts\tbody\ttokens\n2026-03-01 09:00:00\t" + strings.ReplaceAll(plain, `\`, `\\`) + "\t7",
	} {
		got, _, err := Read([]File{{"a.log", strings.NewReader(log + "\n")}}, Options{})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d requests, %v", name, len(got), err)
			continue
		}
		var body map[string]any
		if err := json.Unmarshal(got[0].Body, &body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if tidy, _ := json.Marshal(body); string(tidy) != want {
			t.Errorf("%s:\n%s, want\n%s", name, tidy, want)
		}
	}
}
