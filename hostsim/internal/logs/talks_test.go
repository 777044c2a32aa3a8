package logs

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/timeline"
)

// Chat programs keep messages, not requests: each answer is one request's, with what was said before it.
func TestMessagesOneByOne(t *testing.T) {
	const rows = `{"conversation_id":"a","role":"user","content":"Which row?","created_at":"2026-03-01T09:00:00Z"}
{"conversation_id":"b","role":"user","content":"Frost?","created_at":"2026-03-01T09:00:01Z"}
{"conversation_id":"a","role":"assistant","content":"Row 7.","created_at":"2026-03-01T09:00:02Z"}
{"conversation_id":"a","role":"user","content":"And then?","created_at":"2026-03-01T09:00:07Z"}
{"conversation_id":"a","role":"assistant","content":"Row 8.","created_at":"2026-03-01T09:00:09Z"}
`
	const agent = `{"type":"user","sessionId":"s","uuid":"u0","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"Which row?"}}
{"type":"assistant","sessionId":"s","timestamp":"2026-03-01T09:00:02Z","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Let me look."}],"usage":{"output_tokens":9}}}
{"type":"assistant","sessionId":"s","timestamp":"2026-03-01T09:00:03Z","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"look","input":{"prompt":"rows"}}],"usage":{"output_tokens":9}}}
{"type":"user","sessionId":"s","timestamp":"2026-03-01T09:00:07Z","toolUseResult":{"prompt":"rows"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"row 7"}]}}
{"type":"assistant","sessionId":"s","timestamp":"2026-03-01T09:00:08Z","message":{"id":"m2","role":"assistant","model":"m","content":[{"type":"text","text":"Row 7."}],"usage":{"output_tokens":4}}}
`
	lines := strings.SplitAfter(rows, "\n")
	nameless := strings.ReplaceAll(lines[0]+strings.Join(lines[2:], ""), `"conversation_id":"a",`, "")
	timeless := func(s string) string {
		for _, second := range "012789" {
			s = strings.ReplaceAll(s, `,"created_at":"2026-03-01T09:00:0`+string(second)+`Z"`, "")
		}
		return s
	}
	for name, log := range map[string]struct {
		text   string
		second float64
		said   int // tokens of the first answer
		notes  string
	}{
		"rows":        {rows, 7, 2, "Put together of 4 messages"},
		"a list":      {"[" + strings.ReplaceAll(strings.TrimSpace(rows), "\n", ",\n") + "]", 7, 2, "1, a message without an answer; the first is a.log:2."},
		"no names":    {nameless, 7, 2, "2 requests in 1 session "},
		"no times":    {timeless(rows), timeline.Pause, 2, "no times"},
		"no order":    {strings.Join(reversed(lines), ""), 7, 2, "from 5 lines, over 7 s."},
		"a table":     {"conversation_id,role,content,created_at\na,user,Which row?,2026-03-01T09:00:00Z\na,assistant,Row 7.,2026-03-01T09:00:02Z\na,user,And then?,2026-03-01T09:00:07Z\na,assistant,Row 8.,2026-03-01T09:00:09Z\n", 7, 2, "from 4 lines"},
		"transcripts": {agent, 7, 9, "2 requests in 1 session (the log names it for 2"},
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log.text)}}, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		notes := strings.Join(report.Notes(), "\n")
		if len(got) != 2 || got[1].T != log.second || got[0].Session != got[1].Session || got[0].OutputTokens != log.said || !strings.Contains(notes, log.notes) {
			t.Errorf("%s: %+v\n%s", name, got, notes)
			continue
		}
		if turns := loose.Read(got[1].Body).Object()["messages"].Items(); len(turns) != 3 || !strings.Contains(string(turns[1].Bytes()), "assistant") {
			t.Errorf("%s: the second prompt is %s", name, got[1].Body)
		}
	}
	// Beside whole requests they are the same once more.
	whole := rows + lineAt(`"2026-03-01T09:00:00Z"`, 1) + "\n"
	if got, report, err := Read([]File{{"a.log", strings.NewReader(whole)}}, Options{}); err != nil || len(got) != 1 || !strings.Contains(strings.Join(report.Notes(), "\n"), "5, a message by itself, beside whole requests") {
		t.Errorf("%v, %d requests, %v", err, len(got), report)
	}
}

func reversed(lines []string) (out []string) {
	for i := len(lines) - 1; i >= 0; i-- {
		out = append(out, lines[i])
	}
	return out
}

// Whole conversations keep what their messages have beside a text.
func TestConversationsKeepParts(t *testing.T) {
	const log = `{"messages":[{"role":"user","content":[{"type":"text","text":"Which row?"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c","content":"row 7"},{"role":"assistant","content":"Row 7."}]}`
	got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %d requests", err, len(got))
	}
	for _, part := range []string{`"text":"Which row?"`, `"tool_calls":[{`, `"tool_call_id":"c"`} {
		if !strings.Contains(string(got[1].Body), part) {
			t.Errorf("the second prompt lacks %s: %s", part, got[1].Body)
		}
	}
}

// A conversation of thousands of turns has prompts of gigabytes, in a log of a few hundred KB: those that are put together have a bound,
// and what is left out is said.
func TestPromptsThatArePutTogetherAreBounded(t *testing.T) {
	var whole, single strings.Builder
	whole.WriteString(`{"conversations":[`)
	for i := range 500 {
		if i > 0 {
			whole.WriteString(",")
		}
		fmt.Fprintf(&whole, `{"from":"human","value":"Question %d"},{"from":"gpt","value":"Answer"}`, i)
		fmt.Fprintf(&single, `{"conversation_id":"a","role":"user","content":"Question %d"}`+"\n"+`{"conversation_id":"a","role":"assistant","content":"Answer"}`+"\n", i)
	}
	whole.WriteString("]}\n")
	for name, log := range map[string]string{"as a whole": whole.String(), "one by one": single.String()} {
		const most = 1 << 20
		lines, report, err := Read([]File{{Name: "log", In: strings.NewReader(log)}}, Options{most: most})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		size := 0
		for i := range lines {
			size += len(lines[i].Body)
		}
		if len(lines) < 100 || size < most || size > most+most/10 {
			t.Errorf("%s: %d requests of %d bytes, want some 160 of %d", name, len(lines), size, most)
		}
		if notes := strings.Join(report.Notes(), "\n"); !strings.Contains(notes, "after 1 MiB of prompts were put together") {
			t.Errorf("%s: nothing is said of what is left out:\n%s", name, notes)
		}
	}
}
