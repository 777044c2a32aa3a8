package chats

import (
	"testing"

	"warmroute/hostsim/internal/loose"
)

func parse(text string) loose.Object { return loose.Read([]byte(text)).Object() }

func TestIsBody(t *testing.T) {
	for text, want := range map[string]bool{
		`{"messages":[{"role":"user","content":"a"}]}`: true, `{"messages":"[{\"role\":\"user\"}]"}`: true, `{"contents":[{"parts":[{"text":"a"}]}]}`: true, `{"prompt":"a"}`: true, `{"prompt":[1,2]}`: true,
		`{"input":"a","model":"m"}`: true, `{"input":"a","output":"b"}`: true,
		`{}`: false, `{"messages":[]}`: false, `{"messages":"a"}`: false, `{"prompt":""}`: false, `{"prompt":"{\"prompt\":\"a\"}"}`: false, `{"input":"a"}`: false, `{"input":{"a":1},"model":"m"}`: false, `7`: false,
	} {
		if got := IsBody(parse(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestRename(t *testing.T) {
	o := parse(`{"Prompt":"a","MAX_TOKENS":9,"Model":"x","model":"m"}`)
	if got := Rename(o); !got || string(loose.Marshal(o)) != `{"Model":"x","max_tokens":9,"model":"m","prompt":"a"}` {
		t.Errorf("%v, %s", got, loose.Marshal(o))
	}
	if Rename(o) {
		t.Error("a second time")
	}
}

// OpenTelemetry's parts become the members of chat completions: calls of tools are part of a prompt, thoughts are not.
func TestMessages(t *testing.T) {
	const parts = `[{"role":"assistant","parts":[{"type":"reasoning","content":"Hm."},{"type":"tool_call","id":"1","name":"rows","arguments":{"ripe":true}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"Row 7"}]}]`
	const want = `[{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{\"ripe\":true}","name":"rows"},"id":"1","type":"function"}]},{"content":"Row 7","role":"tool","tool_call_id":"1"}]`
	for _, raw := range []string{parts, string(loose.Marshal(parts))} {
		if got := string(loose.Marshal(Messages(loose.Read([]byte(raw))))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What is a chat already needs no translation.
func TestTranslated(t *testing.T) {
	const want = `{"messages":[{"content":"a","role":"user"}],"model":"m"}`
	for text, want := range map[string]string{
		`{"model":"m","messages":[{"role":"user","content":"a"}]}`:                          "null",
		`{"model":"m","prompt":"a"}`:                                                        "null",
		`{"model":"m","prompt":[{"content":"a","role":"user"}]}`:                            want,
		`{"model":"m","contents":[{"parts":[{"text":"a"}]}]}`:                               want,
		`{"model":"m","messages":[{"role":"user","content":[{"text":"a"}]}]}`:               want,
		`{"model":"m","messages":[{"type":"human","data":{"content":"a"}}]}`:                want,
		`{"model":"m","messages":[[{"id":["x","HumanMessage"],"kwargs":{"content":"a"}}]]}`: want,
	} {
		if got := string(loose.Marshal(Translated(parse(text)))); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestConversation(t *testing.T) {
	const want = `[{"content":"a","role":"user"},{"content":"b","role":"assistant"}]`
	for text, want := range map[string]string{
		`{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}`:                     want,
		`{"chat":{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}}`:        want,
		`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`:     "null", // a request that begins its answer
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user"}]}`: "null",
		`{"conversations":[{"from":"human","value":"a"},{"from":"nobody","value":"b"}]}`:                  "null",
	} {
		if got := string(loose.Marshal(Conversation(parse(text)))); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestTextLength(t *testing.T) {
	const message = `{"role":"assistant","content":[{"type":"text","text":"abc"}],"reasoning":"de","tool_calls":[{"id":"c1","function":{"name":"n","arguments":"{}"}}]}`
	if got := TextLength(loose.Read([]byte(message)), 3); got != 7 {
		t.Errorf("%d bytes, want 7", got)
	}
}
