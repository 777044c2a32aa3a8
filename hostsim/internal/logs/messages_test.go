package logs

import (
	"strings"
	"testing"
)

// The messages of a span may be written in several ways.
func TestSpans(t *testing.T) {
	const want = `[{"content":"Be brief.","role":"system"},{"content":"a \"b\" c","role":"user"},{"content":"d","role":"assistant"},{"content":"e","role":"user"}]`
	for _, attributes := range []string{
		`"gen_ai.input.messages":"[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":\"a \\\"b\\\" c\"},{\"role\":\"assistant\",\"content\":\"d\"},{\"role\":\"user\",\"content\":\"e\"}]"`,
		`"gen_ai.system_instructions":[{"type":"text","content":"Be brief."}],"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"a \"b\" c"}]},{"role":"assistant","parts":[{"type":"reasoning","content":"x"},{"type":"text","content":"d"}]},{"role":"user","parts":[{"type":"text","content":"e"}]}]`,
		`"gen_ai.prompt.0.role":"system","gen_ai.prompt.0.content":"Be brief.","gen_ai.prompt.1.content":"a \"b\" c","gen_ai.prompt.1.role":"user","gen_ai.prompt.2.role":"assistant","gen_ai.prompt.2.content":"d","gen_ai.prompt.3.content":"e"`,
		`"llm.input_messages.0.message.role":"system","llm.input_messages.0.message.content":"Be brief.","llm.input_messages.1.message.role":"user","llm.input_messages.1.message.content":"a \"b\" c","llm.input_messages.2.message.role":"assistant","llm.input_messages.2.message.content":"d","llm.input_messages.3.message.role":"user","llm.input_messages.3.message.content":"e"`,
	} {
		span := `{"name":"chat m","start_time":"2026-03-01T09:00:00Z","end_time":"2026-03-01T09:00:01Z","attributes":{` + attributes + `,"gen_ai.completion.0.content":"12345678"}}`
		lines, _, err := Read([]File{{"a.log", strings.NewReader(span + "\n")}}, Options{})
		if err != nil || len(lines) != 1 || !strings.Contains(string(lines[0].Body), want) || lines[0].OutputTokens != 2 {
			t.Errorf("%s: %v, %+v", span, err, lines)
		}
	}
}

// A conversation of a data set is each of its turns; a request that ends in the beginning of an answer is not one.
func TestConversations(t *testing.T) {
	for log, want := range map[string]int{
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`:                  2,
		`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`:                                                                       1,
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`:                                                     1,
		`{"conversation_id":"x","model":"m","timestamp":"2026-03-01T09:00:00Z","conversation":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"turn":1}`: 1,
		`{"conversations":[{"from":"gpt","value":"a"},{"from":"human","value":"b"},{"from":"gpt","value":"c"},{"from":"human","value":"d"}]}`:                               1,
	} {
		lines, _, err := Read([]File{{"a.json", strings.NewReader(log + "\n")}}, Options{})
		if err != nil || len(lines) != want {
			t.Errorf("%s: %v, %d requests, want %d", log, err, len(lines), want)
		}
	}
}
