package capture

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
)

func parse(text string) loose.Object { return loose.Read([]byte(text)).Object() }

// One object with many calls is each of them, with its times and its bodies under the names of an access log's, or its span's attributes.
func TestUnpack(t *testing.T) {
	const span = `{"startTimeUnixNano":"7","endTimeUnixNano":"9","status":{"code":2},"attributes":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":"3"},{"kvlistValue":{"values":[{"key":"b","value":{"boolValue":true}}]}}]}}}],` +
		`"events":[{"attributes":[{"key":"c","value":{"stringValue":"d"}}]}]}`
	for text, want := range map[string]string{
		`{"model":"m"}`: "[]",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `]}]}]}`: `[{"a":["3",{"b":true}],"c":"d","endTime":"9","startTime":"7","status":"error"}]`,
		`{"data":[{"spans":[{"operationName":"chat","startTime":7,"duration":2,"tags":[{"key":"a","value":1}],"logs":[{"fields":[{"key":"a","value":2},{"key":"b","value":3}]}]},{}]}]}`:               `[{"a":1,"b":3,"endTime":9,"startTime":7}]`,
		`{"log":{"entries":[{"startedDateTime":"2026-03-01T09:00:00Z","time":3,"request":{"method":"POST","url":"/v1/a","postData":{"text":"q"}},"response":{"status":200,"content":{"text":"r"}}}]}}`: `[{"duration":3,"method":"POST","request_body":"q","response_body":"r","start_time":"2026-03-01T09:00:00Z","status":200,"url":"/v1/a"}]`,
		`{"sessionId":"s","input":"q","observations":[{"type":"SPAN"},{"type":"GENERATION","input":"a"}]}`:                                                                                             `[{"sessionId":"s","type":"SPAN"},{"input":"a","sessionId":"s","type":"GENERATION"}]`,
		`{"sessionId":"s","input":"q","observations":["o1","o2"]}`:   "[]",
		`{"input":"q","observations":[{"type":"SPAN","input":"a"}]}`: "[]",
		`{"http_buffered_trace":{"request":{"headers":[{"key":":Path","value":"/v1/a"}],"body":{"as_bytes":"cQ=="}},"response":{"headers":[{"key":":status","value":"200"}],"body":{"as_string":"r"}}}}`: `[{"headers":{":path":"/v1/a"},"method":null,"path":"/v1/a","request_body":"q","response_body":"r","start_time":null,"status":"200"}]`,
	} {
		if got := Unpack(parse(text)); string(loose.Marshal(append([]loose.Object{}, got...))) != want {
			t.Errorf("%s is %s, want %s", text, loose.Marshal(got), want)
		}
	}
}

// A span of a call is a record with a chat's members; one of something else says why it is none.
func TestCall(t *testing.T) {
	for text, want := range map[string]struct{ record, why string }{
		`{"model":"m","prompt":"a"}`: {"null", ""},
		`{"start_time":"7","attributes":{"gen_ai.operation.name":"chat","gen_ai.request.model":"m","gen_ai.input.messages":"[{\"role\":\"user\",\"content\":\"a\"}]","gen_ai.usage.output_tokens":9}}`: {`{"completion_tokens":9,"messages":[{"content":"a","role":"user"}],"model":"m","start_time":"7"}`, ""},
		`{"attributes":{"llm":{"input_messages":[{"message":{"role":"user","content":"a"}}]}},"status":{"status_code":"ERROR"}}`:                                                                       {`{"messages":[{"content":"a","role":"user"}],"status":"error"}`, ""},
		`{"attributes":{"gen_ai.operation.name":"invoke_agent"}}`: {"null", "not for a prompt: invoke_agent"},
		`{"attributes":{"gen_ai.operation.name":"chat"}}`:         {"null", "a span without its prompt"},
	} {
		record, why, is := Call(parse(text))
		if string(loose.Marshal(record)) != want.record || !strings.HasPrefix(why, want.why) || (why == "") != (want.why == "") || is != (want.record != "null" || want.why != "") {
			t.Errorf("%s is %s, %q, %v; want %+v", text, loose.Marshal(record), why, is, want)
		}
	}
}

func TestBesides(t *testing.T) {
	for text, want := range map[string]string{`{"traceId":"a","type":"SPAN"}`: "span", `{"run_type":"chain"}`: "chain", `{"openinference.span.kind":"LLM"}`: "", `{"traceloop.span.kind":"workflow"}`: "workflow", `{"mlflow.spanType":"\"AGENT\""}`: "agent", `{"mlflow.spanType":"\"CHAT_MODEL\""}`: "", `{"traceId":"a","type":"EVENT"}`: "event", `{"type":"tool"}`: "", `{"traceId":"a","type":"GENERATION"}`: ""} {
		if got := Besides(parse(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
