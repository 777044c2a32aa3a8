package logs

import (
	"strings"
	"testing"
)

// A trace of Langfuse's that has its observations whole is each call of a model among them, not one call with the trace's input: alone, in a
// list, or in an answer of its API.
func TestTraced(t *testing.T) {
	const call = `{"id":"$","traceId":"t","type":"GENERATION","startTime":"2026-03-01T09:00:0$.000Z","model":"m","modelParameters":{"max_tokens":20$},` +
		`"input":[{"role":"user","content":"Row $?"}],"output":{"role":"assistant","content":"Yes."},"usageDetails":{"input":9,"output":1$}}`
	trace := `{"id":"t","timestamp":"2026-03-01T09:00:00Z","sessionId":"s","input":[{"role":"user","content":"Row 1?"}],"output":"Yes.",` +
		`"observations":[{"id":"a","traceId":"t","type":"AGENT","startTime":"2026-03-01T09:00:00Z","input":[{"role":"user","content":"Row 1?"}]},` + strings.ReplaceAll(call, "$", "1") + "," + strings.ReplaceAll(call, "$", "8") + "]}"
	other := `{"id":"u","sessionId":"v","observations":[` + strings.ReplaceAll(call, "$", "9") + "]}"
	for name, log := range map[string]string{"a trace": trace + "\n" + other, "a list": "[" + trace + "," + other + "]", "an answer": `{"data":[` + trace + "," + other + `],"meta":{"page":1}}`} {
		got, notes := readText(t, log+"\n")
		if len(got) != 3 || got[1].T != 7 || got[0].OutputTokens != 11 || got[1].OutputTokens != 18 || got[0].Session != got[1].Session || got[2].Session == got[0].Session {
			t.Errorf("%s: %+v\n%s", name, got, notes)
			continue
		}
		if want := `{"input":[{"role":"user","content":"Row 8?"}],"max_tokens":208,"model":"m"}`; string(got[1].Body) != want {
			t.Errorf("%s: %s, want %s", name, got[1].Body, want)
		}
	}
}
