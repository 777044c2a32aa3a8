package capture

import (
	"strconv"
	"testing"

	"warmroute/hostsim/internal/loose"
)

// A message of several parts, the calls of tools and the tools themselves are a part of the prompt, in whatever attributes a span has them.
func TestPartsInAttributes(t *testing.T) {
	const (
		openInference, openLLMetry = `"llm.input_messages.0.message.`, `"gen_ai.prompt.0.`
		calls                      = `"tool_calls":[{"function":{"arguments":"{\"row\":7}","name":"look"},"id":"c1","type":"function"}]`
	)
	for members, want := range map[string]string{
		openInference + `role":"user",` + openInference + `contents.0.message_content.type":"text",` + openInference + `contents.0.message_content.text":"Which ",` + openInference + `contents.1.message_content.text":"row?"`:                  `[{"content":"Which row?","role":"user"}] null`,
		openInference + `role":"assistant",` + openInference + `tool_calls.0.tool_call.id":"c1",` + openInference + `tool_calls.0.tool_call.function.name":"look",` + openInference + `tool_calls.0.tool_call.function.arguments":"{\"row\":7}"`: `[{"content":"","role":"assistant",` + calls + `}] null`,
		openLLMetry + `role":"assistant",` + openLLMetry + `tool_calls.0.id":"c1",` + openLLMetry + `tool_calls.0.name":"look",` + openLLMetry + `tool_calls.0.arguments":"{\"row\":7}"`:                                                         `[{"content":"","role":"assistant",` + calls + `}] null`,
		openLLMetry + `content":"[{\"type\":\"text\",\"text\":\"Why?\"}]"`:                `[{"content":[{"type":"text","text":"Why?"}],"role":"user"}] null`,
		openLLMetry + `content":"[{\"type\":\"tool_use\",\"id\":\"c1\"}]"`:                `[{"content":"[{\"type\":\"tool_use\",\"id\":\"c1\"}]","role":"user"}] null`,
		openLLMetry + `content":"a","llm.tools.0.tool.json_schema":"{\"name\":\"look\"}"`: `[{"content":"a","role":"user"}] [{"name":"look"}]`,
		openLLMetry + `content":"a","llm.request.functions.0.name":"look"`:                `[{"content":"a","role":"user"}] [{"function":{"name":"look"},"type":"function"}]`,
		openLLMetry + `content":"a","gen_ai.tool.definitions":"[{\"name\":\"look\"}]"`:    `[{"content":"a","role":"user"}] [{"name":"look"}]`,
		`"ai.operationId":"ai.generateText.doGenerate","ai.prompt.tools":["{\"name\":\"look\"}"],"ai.prompt.messages":` + strconv.Quote(`[{"role":"user","content":[{"type":"text","text":"Why?"}]},{"role":"assistant","content":[{"type":"reasoning","text":"Hm."}]},`+
			`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{"row":7}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","output":{"type":"text","value":"Ripe."}}]}]`): `[{"content":"Why?","role":"user"},{"content":"","role":"assistant",` + calls + `},{"content":"Ripe.","role":"tool","tool_call_id":"c1"}] [{"name":"look"}]`,
	} {
		record, why, is := Call(parse(`{"attributes":{` + members + `}}`))
		if got := string(loose.Marshal(record["messages"])) + " " + string(loose.Marshal(record["tools"])); !is || why != "" || got != want {
			t.Errorf("%s:\n%s, %q; want\n%s", members, got, why, want)
		}
	}
	picture := `{"attributes":{` + openInference + `contents.0.message_content.text":"What?",` + openInference + `contents.1.message_content.image.image.url":"data:a"}}`
	record, _, _ := Call(parse(picture))
	if parts := record["messages"].Items()[0].Object()["content"].Items(); len(parts) != 2 || parts[1].Object()["type"].Text() != "image_url" {
		t.Errorf("%s", loose.Marshal(record))
	}
}
