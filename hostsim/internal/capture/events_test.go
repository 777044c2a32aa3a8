package capture

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
)

// The messages of a call that a span has in events, one each, are its prompt, whoever has written them and however.
func TestGathered(t *testing.T) {
	const call, want = `"gen_ai.operation.name":"chat"`, `[{"content":"Be brief.","role":"system"},{"content":"Why?","role":"user"}] Because.`
	for name, span := range map[string]string{
		"the conventions' names": `{"attributes":{` + call + `},"events":[{"name":"gen_ai.system.message","attributes":{"content":"Be brief."}},{"name":"gen_ai.user.message","attributes":{"content":"Why?"}},{"name":"gen_ai.choice","attributes":{"index":0,"message":"{\"content\":\"Because.\"}"}}]}`,
		"Azure":                  `{"attributes":{` + call + `},"events":[{"name":"gen_ai.system.message","attributes":{"gen_ai.event.content":"{\"role\":\"system\",\"content\":\"Be brief.\"}"}},{"name":"gen_ai.user.message","attributes":{"gen_ai.event.content":"{\"content\":\"Why?\"}"}},{"name":"gen_ai.choice","attributes":{"gen_ai.event.content":"{\"message\":{\"content\":\"Because.\"}}"}}]}`,
		"Strands":                `{"attributes":{` + call + `},"events":[{"name":"gen_ai.system.message","attributes":{"content":"[{\"text\":\"Be \"},{\"text\":\"brief.\"}]"}},{"name":"gen_ai.user.message","attributes":{"content":"[{\"text\":\"Why?\"}]"}},{"name":"gen_ai.choice","attributes":{"message":"[{\"text\":\"Because.\"}]"}}]}`,
		"Pydantic AI":            `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"events","value":{"stringValue":"[{\"event.name\":\"gen_ai.system.message\",\"content\":\"Be brief.\"},{\"event.name\":\"gen_ai.user.message\",\"content\":\"Why?\"},{\"event.name\":\"gen_ai.choice\",\"message\":{\"content\":\"Because.\"}}]"}}]}]}]}]}`,
		"Jaeger":                 `{"data":[{"spans":[{"operationName":"chat","startTime":7,"tags":[{"key":"gen_ai.operation.name","value":"chat"}],"logs":[{"fields":[{"key":"event","value":"gen_ai.system.message"},{"key":"content","value":"Be brief."}]},{"fields":[{"key":"event","value":"gen_ai.user.message"},{"key":"content","value":"Why?"}]},{"fields":[{"key":"event","value":"gen_ai.choice"},{"key":"message","value":"Because."}]}]}]}]}`,
		"OTLP":                   `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}],"events":[{"name":"gen_ai.system.message","attributes":[{"key":"content","value":{"stringValue":"Be brief."}}]},{"name":"gen_ai.user.message","attributes":[{"key":"content","value":{"stringValue":"Why?"}}]},{"name":"gen_ai.choice","attributes":[{"key":"message","value":{"stringValue":"Because."}}]}]}]}]}]}`,
	} {
		o := parse(span)
		if many := Unpack(o); many != nil {
			o = many[0]
		}
		record, why, is := Call(o)
		answer := record["response"].Object()["choices"].Items()
		if !is || why != "" || len(answer) != 1 || string(loose.Marshal(record["messages"]))+" "+answer[0].Object()["text"].Text() != want {
			t.Errorf("%s: %s, %q", name, loose.Marshal(record), why)
		}
	}
	// A step of an agent has the messages of the call below it.
	if record, why, _ := Call(parse(`{"attributes":{"gen_ai.provider.name":"strands-agents"},"events":[{"name":"gen_ai.user.message","attributes":{"content":"Why?"}}]}`)); record != nil || !strings.HasPrefix(why, "a span without its prompt") {
		t.Errorf("%s, %q", loose.Marshal(record), why)
	}
}

// Spans around calls are left out; an access log with the names of attributes is read as one.
func TestCallAround(t *testing.T) {
	for text, want := range map[string]struct{ record, why string }{
		`{"attributes":{"openinference.span.kind":"AGENT","llm.input_messages.0.message.content":"a"}}`:                                                                           {"null", "not a call of a model: agent"},
		`{"attributes":[{"key":"traceloop.span.kind","value":{"stringValue":"task"}},{"key":"traceloop.entity.input","value":{"stringValue":"{\"inputs\":{\"messages\":[]}}"}}]}`: {"null", "not a call of a model: task"},
		`{"attributes":{"ai.operationId":"ai.streamText","ai.prompt":"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}"}}`:                                                  {"null", "not for a prompt: ai.streamText"},
		`{"attributes":{"ai.operationId":"ai.streamText.doStream","ai.prompt.messages":"[{\"role\":\"user\",\"content\":\"a\"}]"}}`:                                               {`{"messages":[{"content":"a","role":"user"}]}`, ""},
		`{"response_code":200,"gen_ai.usage.output_tokens":9,"session.id":"s","request_body":"{\"model\":\"m\",\"prompt\":\"a\"}"}`:                                               {`{"completion_tokens":9,"gen_ai.usage.output_tokens":9,"request_body":"{\"model\":\"m\",\"prompt\":\"a\"}","response_code":200,"session.id":"s","session_id":"s"}`, ""},
		`{"response_code":200,"gen_ai.usage.output_tokens":9}`:                                                                                                                    {"null", ""},
	} {
		record, why, is := Call(parse(text))
		if string(loose.Marshal(record)) != want.record || why != want.why || is != (want.record != "null" || want.why != "") {
			t.Errorf("%s is %s, %q, %v; want %+v", text, loose.Marshal(record), why, is, want)
		}
	}
}
