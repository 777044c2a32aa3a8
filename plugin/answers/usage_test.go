package answers

import (
	"strings"
	"testing"
)

const (
	chatAnswer = `{"id":"c1","choices":[{"message":{"role":"assistant","content":"say \"usage\":{\"prompt_tokens\":9}"},"usage":{"prompt_tokens":8}}],` +
		`"usage":{"prompt_tokens":1024,"completion_tokens":7,"total_tokens":1031,"prompt_tokens_details":{"cached_tokens":960}}}`
	chatEvents = "data: {\"choices\":[{\"delta\":{\"content\":\"data: {\\\"usage\\\":{}}\"}}],\"usage\":null}\n\n" +
		": keep-alive\r\nevent: x\r\nid:7\r\n" +
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":30,\"prompt_tokens_details\":{\"cached_tokens\":16}}}\r\n\r\n" +
		"data: [DONE]\n\n"
	responsesEvents = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\n" +
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"usage\":{\"input_tokens\":1}}],\"usage\":{\"input_tokens\":50,\"input_tokens_details\":{\"cached_tokens\":48},\"output_tokens\":2}}}\n\n"
	messagesEvents = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":20,\"output_tokens\":1}}}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":9}}\n\n"
)

var usages = []struct {
	name           string
	sse            bool
	answer         string
	prompt, cached int
	ok             bool
}{
	{"chat", false, chatAnswer, 1024, 960, true},
	{"chat, no details", false, `{"usage":{"prompt_tokens":12,"prompt_tokens_details":null}}`, 12, 0, false},
	{"chat, nothing cached", false, `{"usage":{"prompt_tokens":12,"prompt_tokens_details":{"cached_tokens":0}}}`, 12, 0, true},
	{"details first", false, `{"usage":{"prompt_tokens_details":{"audio_tokens":1,"cached_tokens":3},"prompt_tokens":12}}`, 12, 3, true},
	{"cut after the usage", false, `{"usage":{"prompt_tokens":12,"prompt_tokens_details":{"cached_tokens":4}},"choices":[{"te`, 12, 4, true},
	{"responses", false, `{"usage":{"input_tokens":12,"input_tokens_details":{"cached_tokens":8}}}`, 12, 8, true},
	{"messages", false, `{"type":"message","usage":{"input_tokens":2,"cache_read_input_tokens":64,"cache_creation_input_tokens":0}}`, 66, 64, true},
	{"messages without a cache", false, `{"type":"message","usage":{"input_tokens":2,"output_tokens":3}}`, 2, 0, false},
	{"an error", false, `{"error":{"message":"no"}}`, 0, 0, false},
	{"not JSON", false, "<html>usage</html>", 0, 0, false},
	{"odd numbers", false, `{"usage":{"prompt_tokens":-1,"prompt_tokens_details":{"cached_tokens":1.5}}}`, 0, 0, false},
	{"a huge number", false, `{"usage":{"prompt_tokens":99999999999999999999999,"prompt_tokens_details":{"cached_tokens":9007199254740993}}}`, 0, 0, false},
	{"a huge sum", false, `{"usage":{"input_tokens":2147483647,"cache_read_input_tokens":2147483647}}`, 0, 0, true},
	{"nothing", false, "", 0, 0, false},
	{"names with escapes", false, `{"us\u0061ge":{"prompt_tok\u0065ns":7,"prompt_tokens\u005Fdetails":{"cached\u005ftokens":6}}}`, 7, 6, true},
	{"other names", false, `{"usage\n":{"prompt_tokens":1},"usage\u0000":{"prompt_tokens":2},"\u00e9usage":{"prompt_tokens":3}}`, 0, 0, false},
	{"in other places", false, `[{"usage":{"prompt_tokens":1}}]`, 0, 0, false},
	{"in a list", false, `{"response":[{"usage":{"input_tokens":1}}],"usage":[{"prompt_tokens":2}],"x":{"usage":{"prompt_tokens":3}}}`, 0, 0, false},
	{"brackets in texts", false, `{"a":"}]\\\"}","b":[["{\""],{"c":"]"}],"usage":{"prompt_tokens" : 5 ,"x":{"prompt_tokens":9},"prompt_tokens_details":{"cached_tokens":4}}}`, 5, 4, true},
	{"deep", false, strings.Repeat(`{"a":[`, 99) + strings.Repeat(`]}`, 99) + `{"usage":{"prompt_tokens":1}}`, 0, 0, false},
	{"deep beside", false, `{"x":` + strings.Repeat(`{"a":[`, 99) + strings.Repeat(`]}`, 99) + `,"usage":{"prompt_tokens":3}}`, 3, 0, false},
	{"after a byte order mark", false, "\xef\xbb\xbf" + `{"usage":{"prompt_tokens":3}}`, 3, 0, false},
	{"chat events", true, chatEvents, 30, 16, true},
	{"usage in each event", true, strings.ReplaceAll(chatEvents, `"usage":null`, `"usage":{"prompt_tokens":30,"prompt_tokens_details":{"cached_tokens":0}}`), 30, 16, true},
	{"responses events", true, responsesEvents, 50, 48, true},
	{"messages events", true, messagesEvents, 130, 100, true},
	{"no space after data:", true, "data:{\"usage\":{\"prompt_tokens\":5,\"prompt_tokens_details\":{\"cached_tokens\":1}}}", 5, 1, true},
	{"broken events between", true, "data: {\"a\":\n\ndata: nope\rdat\n\ndatax: {}\n" + chatEvents, 30, 16, true},
	{"events read as JSON", false, chatEvents, 0, 0, false},
}

func TestUsage(t *testing.T) {
	var u Usage
	for _, test := range usages {
		for size := 1; size <= len(test.answer)+1; size++ {
			u.Reset(test.sse)
			for b := []byte(test.answer); len(b) > 0; {
				n := min(size, len(b))
				u.Write(b[:n])
				b = b[n:]
			}
			if prompt, cached, ok := u.Cached(); prompt != test.prompt || cached != test.cached || ok != test.ok {
				t.Fatalf("%s in chunks of %d: %d, %d, %v, want %d, %d, %v", test.name, size, prompt, cached, ok, test.prompt, test.cached, test.ok)
			}
		}
	}
}

func TestUsageAllocatesNothing(t *testing.T) {
	var u Usage
	b := []byte(chatEvents)
	if n := testing.AllocsPerRun(10, func() {
		u.Reset(true)
		u.Write(b)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzUsage: what is read does not depend on the chunks, stays in its bounds, and of JSON it is what the oracle reads.
func FuzzUsage(f *testing.F) {
	for _, test := range usages {
		f.Add([]byte(test.answer), test.sse, []byte{5, 1})
	}
	f.Fuzz(func(t *testing.T, answer []byte, sse bool, sizes []byte) {
		var one, other Usage
		one.Reset(sse)
		one.Write(answer)
		other.Reset(sse)
		rest := answer
		for _, size := range sizes {
			n := min(int(size), len(rest))
			other.Write(rest[:n])
			rest = rest[n:]
		}
		other.Write(rest)
		p, c, ok := one.Cached()
		if q, d, again := other.Cached(); p != q || c != d || ok != again {
			t.Fatalf("%d, %d, %v in one chunk; %d, %d, %v in chunks of %v", p, c, ok, q, d, again, sizes)
		}
		if p < 0 || c < 0 {
			t.Fatalf("%d tokens, %d cached", p, c)
		}
		if !sse {
			checkUsage(t, answer, one.json.numbers, one.json.known)
		}
	})
}

// Official clients leave at the last event of a stream: it is told by then, and not before.
func TestToldBeforeTheEnd(t *testing.T) {
	for _, c := range []struct {
		name, before, last string
	}{
		{"chat", strings.TrimSuffix(chatEvents, "data: [DONE]\n\n"), "data: [DONE]\n\n"},
		{"chat, without a space", "data:{}\n\n", "data:[DONE]\n\n"},
		{"usage in each event", "data: {\"usage\":{\"prompt_tokens\":30,\"prompt_tokens_details\":{\"cached_tokens\":0}}}\n\n", "data: [DONE]\n\n"},
		{"responses", responsesEvents[:strings.Index(responsesEvents, "event: response.completed")], responsesEvents[strings.Index(responsesEvents, "event: response.completed"):]},
		{"messages", "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":130,\"output_tokens\":0}}}\n\n",
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"input_tokens\":30,\"cache_read_input_tokens\":100,\"output_tokens\":9}}\n\n"},
		{"messages that begin with what was cached", messagesEvents[:strings.Index(messagesEvents, "event: message_delta")], messagesEvents[strings.Index(messagesEvents, "event: message_delta"):]},
		{"a text that says so", "data: {\"choices\":[{\"delta\":{\"content\":\"data: [DONE]\"}}]}\n\n", "data: [DONE]\n\n"},
	} {
		var u Usage
		u.Reset(true)
		u.Write([]byte(c.before))
		if u.Told() {
			t.Errorf("%s: told before the last event", c.name)
		}
		u.Write([]byte(c.last))
		if !u.Told() {
			t.Errorf("%s: not told at the last event", c.name)
		}
	}
	var u Usage
	u.Reset(false)
	u.Write([]byte(chatAnswer))
	if u.Told() {
		t.Error("a JSON answer is told at its end alone")
	}
}
