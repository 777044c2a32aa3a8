package logs

import (
	"strings"
	"testing"
)

// Bodies of other APIs become the chats that they stand for: text, calls of tools and their results, images, the tools' definitions.
func TestForeign(t *testing.T) {
	const (
		system = `{"content":"Be brief.","role":"system"}`
		ask    = `{"content":"Which row?","role":"user"}`
		call   = `{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{\"field\":3}","name":"rows"},"id":"c1","type":"function"}]}`
		result = `{"content":"{\"row\":7}","role":"tool","tool_call_id":"c1"}`
		said   = `{"content":"Row 7.","role":"assistant"}`
		and    = `{"content":"And?","role":"user"}`
		tools  = `"tools":[{"function":{"description":"d","name":"rows","parameters":{"type":"object"}},"type":"function"}]`
		all    = `{"max_tokens":9,"messages":[` + system + `,` + ask + `,` + call + `,` + result + `,` + said + `,` + and + `],"model":"m",` + tools + `}`
		plain  = `{"max_tokens":9,"messages":[` + system + `,` + ask + `,` + call + `,` + result + `,` + said + `,` + and + `],"model":"m"}`
	)
	for name, c := range map[string]struct{ log, want string }{
		"Gemini": {`{"path":"/v1beta/models/m:generateContent","time":1772355600,"request_body":{"system_instruction":{"parts":[{"text":"Be brief."}]},"contents":[{"parts":[{"text":"Which row?"}]},
			{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"c1","name":"rows","args":{"field":3}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","response":{"row":7}}}]},
			{"role":"model","parts":[{"text":"Row 7."}]},{"role":"user","parts":[{"text":"And?"}]}],"generationConfig":{"maxOutputTokens":9},
			"tools":[{"functionDeclarations":[{"name":"rows","description":"d","parameters":{"type":"object"}}]},{"googleSearch":{}}]}}`, all},
		"Converse": {`{"timestamp":"2026-03-01T09:00:00Z","modelId":"m","input":{"inputBodyJson":{"system":[{"text":"Be brief."},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"Which row?"}]},
			{"role":"assistant","content":[{"reasoningContent":{}},{"toolUse":{"toolUseId":"c1","name":"rows","input":{"field":3}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":{"row":7}}]}}]},
			{"role":"assistant","content":[{"text":"Row 7."}]},{"role":"user","content":[{"text":"And?"}]}],"inferenceConfig":{"maxTokens":9},
			"toolConfig":{"tools":[{"toolSpec":{"name":"rows","description":"d","inputSchema":{"json":{"type":"object"}}}}]}}}}`, all},
		"LangChain, dumped": {`{"run_type":"llm","start_time":"2026-03-01T09:00:00Z","extra":{"invocation_params":{"model":"m","max_tokens":9}},"inputs":{"messages":[[
			{"lc":1,"type":"constructor","id":["langchain","schema","messages","SystemMessage"],"kwargs":{"content":"Be brief."}},{"lc":1,"type":"constructor","id":["a","HumanMessage"],"kwargs":{"content":"Which row?"}},
			{"lc":1,"type":"constructor","id":["a","AIMessageChunk"],"kwargs":{"content":"","tool_calls":[{"name":"rows","args":{"field":3},"id":"c1","type":"tool_call"}]}},
			{"lc":1,"type":"constructor","id":["a","ToolMessage"],"kwargs":{"content":"{\"row\":7}","tool_call_id":"c1"}},{"lc":1,"type":"constructor","id":["a","AIMessage"],"kwargs":{"content":"Row 7."}},
			{"lc":1,"type":"constructor","id":["a","HumanMessage"],"kwargs":{"content":"And?"}}]]}}`, plain},
		"LangChain, as dicts": {`{"ts":1772355600,"model":"m","max_tokens":9,"messages":[{"type":"system","data":{"content":"Be brief."}},{"type":"human","data":{"content":"Which row?"}},
			{"type":"ai","data":{"content":"","additional_kwargs":{"tool_calls":[{"function":{"arguments":"{\"field\":3}","name":"rows"},"id":"c1","type":"function"}]}}},
			{"type":"tool","data":{"content":"{\"row\":7}","tool_call_id":"c1"}},{"type":"ai","data":{"content":"Row 7."}},{"type":"human","data":{"content":"And?"}}]}`, plain},
	} {
		got, _, err := Read([]File{{"a.log", strings.NewReader(strings.ReplaceAll(c.log, "\n\t\t\t", ""))}}, Options{})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d requests, %v", name, len(got), err)
		} else if string(got[0].Body) != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got[0].Body, c.want)
		}
	}
}

// An image is not text: it is an image still, named by its hash.
func TestOtherParts(t *testing.T) {
	var bodies []string
	for _, image := range []string{"AAAA", "BBBB"} {
		log := `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + strings.Repeat(image, 1000) + `"}},{"text":"What is it?"}]}]}`
		got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got[0].Body) > 200 || !strings.Contains(string(got[0].Body), "What is it?") || !strings.Contains(string(got[0].Body), `"type":"image_url"`) {
			t.Fatalf("%v: %+v", err, got)
		}
		bodies = append(bodies, string(got[0].Body))
	}
	if bodies[0] == bodies[1] {
		t.Error("two images are one")
	}
}
