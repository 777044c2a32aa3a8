package logs

import (
	"slices"
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

// Azure API Management logs a call in several records: its tokens, its messages in one or more, and its answer. They are one request, in
// whatever order they come, as rows of a table or as resource logs.
func TestPartsOfACall(t *testing.T) {
	const head = "TimeGenerated [UTC],CorrelationId,SequenceNumber,ModelName,PromptTokens,CompletionTokens,RequestMessages,ResponseMessages\n"
	row := func(id, sequence, rest string) string {
		return `"3/1/2026, 9:00:0` + id + `.000 AM",c` + id + "," + sequence + "," + rest + "\n"
	}
	parts := func(id string) []string {
		return []string{row(id, "0", "m,9,1"+id+",,"), row(id, "1", `,,,"[{""role"":""system"",""content"":""Be brief.""}]",`), row(id, "2", `,,,"[{""role"":""user"",""content"":""Row `+id+`?""}]",`), row(id, "3", `,,,,"[{""role"":""assistant"",""content"":""Yes.""}]"`)}
	}
	resource := func(id string) string {
		of := func(sequence, members string) string {
			return `{"time":"2026-03-01T09:00:0` + id + `.0000000Z","category":"GatewayLlmLogs","correlationId":"c` + id + `","properties":{"sequenceNumber":` + sequence + "," + members + "}}"
		}
		return of("0", `"modelName":"m","completionTokens":1`+id) + "," + of("1", `"requestMessages":"[{\"role\":\"system\",\"content\":\"Be brief.\"}]"`) + "," +
			of("2", `"requestMessages":"[{\"role\":\"user\",\"content\":\"Row `+id+`?\"}]"`) + "," + of("3", `"responseMessages":"[{\"role\":\"assistant\",\"content\":\"Yes.\"}]"`)
	}
	backwards := slices.Concat(parts("1"), parts("8"))
	slices.Reverse(backwards)
	for name, log := range map[string]string{
		"in order":       head + strings.Join(slices.Concat(parts("1"), parts("8")), ""),
		"backwards":      head + strings.Join(backwards, ""),
		"resource logs":  strings.ReplaceAll(resource("1")+","+resource("8"), "}},{", "}}\n{") + "\n",
		"an event hub's": `{"records":[` + resource("1") + "," + resource("8") + "]}\n",
	} {
		got, notes := readText(t, log)
		if len(got) != 2 || got[1].T != 7 || got[0].OutputTokens != 11 || got[1].OutputTokens != 18 || strings.Contains(notes, "Left out") {
			t.Errorf("%s: %+v\n%s", name, got, notes)
			continue
		}
		if !strings.Contains(string(got[1].Body), `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Row 8?"}]`) {
			t.Errorf("%s: %s", name, got[1].Body)
		}
	}
	const others = `{"time":"2026-03-01T09:00:0$Z","CorrelationId":"c","SequenceNumber":$,"request_body":{"model":"m","prompt":"Row $?"},"completion_tokens":9}` + "\n"
	if got, notes := readText(t, strings.ReplaceAll(others, "$", "1")+strings.ReplaceAll(others, "$", "8")); len(got) != 2 || got[1].T != 7 {
		t.Errorf("other requests with numbers: %+v\n%s", got, notes)
	}
}
