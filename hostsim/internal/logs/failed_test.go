package logs

import (
	"strings"
	"testing"
)

// What failed is left out and counted, wherever the record says so; what says that nothing failed is served.
func TestFailed(t *testing.T) {
	const served = `{"ts":1772355600,"messages":[{"role":"user","content":"Why?"}]}` + "\n"
	of := func(member string) string {
		return `{"ts":1772355601,` + member + `,"messages":[{"role":"user","content":"Why?"}]}` + "\n"
	}
	for member, want := range map[string]bool{
		`"error":{"message":"overloaded","code":503}`: true, `"error":"timed out"`: true, `"Error":true`: true, `"exception":"OOM"`: true, `"error":["x"]`: true,
		`"response":{"error":{"message":"overloaded"}}`: true, `"response":{"error":"x"}`: true, `"response_body":"{\"error\":{\"message\":\"overloaded\"}}"`: true,
		`"status":"FAILED"`: true, `"status":"ERROR"`: true, `"status":"failure"`: true, `"Status":"Failed"`: true, `"status":500`: true, `"status":307`: true, `"status":200`: false, `"level":"ERROR"`: true, `"level":"error"`: true,
		`"success":false`: true, `"success":"False"`: true, `"metadata":{"status":"failure"}`: true,
		`"error":null`: false, `"error":""`: false, `"error":{}`: false, `"error":[]`: false, `"error":false`: false, `"error":"None"`: false, `"error":{"code":0,"message":""}`: false,
		`"exception":null`: false, `"response":{"error":null}`: false, `"response":{"error":{}}`: false, `"status":"SUCCESS"`: false, `"status":"completed"`: false, `"level":"DEFAULT"`: false,
		`"success":true`: false, `"success":null`: false, `"metadata":{"status":"success"}`: false, `"error_count":3`: false,
	} {
		got, notes := readText(t, served+of(member))
		if failed := len(got) == 1; failed != want || strings.Contains(notes, "Left out: 1, failed; the first is a.log:2.") != want {
			t.Errorf("%s: %d requests\n%s", member, len(got), notes)
		}
	}
	const ask, answer = `{"custom_id":"%","body":{"model":"m","messages":[{"role":"user","content":"Why?"}]}}` + "\n", `{"custom_id":"%","response":{"status_code":500},"error":null}` + "\n"
	for _, log := range []string{ask + strings.ReplaceAll(ask, "%", "b") + answer, answer + ask + strings.ReplaceAll(ask, "%", "b")} {
		if got, notes := readText(t, log); len(got) != 1 || !strings.Contains(notes, "Left out: 1, failed") {
			t.Errorf("%d requests of a batch\n%s", len(got), notes)
		}
	}
	const params = `{"custom_id":"%","params":{"model":"m","max_tokens":90,"messages":[{"role":"user","content":"Why?"}]}}` + "\n"
	const result = `{"custom_id":"a","result":{"type":"succeeded","message":{"content":[{"type":"text","text":"So."}],"usage":{"output_tokens":9}}}}` + "\n"
	for _, kind := range []string{"errored", "canceled", "expired"} {
		log := strings.Replace(params, "%", "a", 1) + strings.Replace(params, "%", "b", 1) + result + `{"custom_id":"b","result":{"type":"` + kind + `"}}` + "\n"
		if got, notes := readText(t, log); len(got) != 1 || got[0].OutputTokens != 9 || !strings.Contains(notes, "Left out: 1, failed") {
			t.Errorf("%s: %+v of Anthropic's batch\n%s", kind, got, notes)
		}
	}
	const span = `{"start_time":"2026-03-01T09:00:00Z","attributes":{"gen_ai.input.messages":[{"role":"user","content":"Why?"}]%}}` + "\n"
	got, notes := readText(t, strings.Replace(span, "%", "", 1)+strings.Replace(span, "%", `,"error.type":"timeout"`, 1))
	if len(got) != 1 || !strings.Contains(notes, "Left out: 1, failed; the first is a.log:2.") {
		t.Errorf("%d requests of spans\n%s", len(got), notes)
	}
	got, notes = readText(t, "time,error,prompt\n2026-03-01 09:00:00,,Why?\n2026-03-01 09:00:01,NULL,Why?\n2026-03-01 09:00:02,overloaded,Why?\n")
	if len(got) != 2 || !strings.Contains(notes, "Left out: 1, failed; the first is a.log:4.") {
		t.Errorf("%d requests of a table\n%s", len(got), notes)
	}
}

// What a gateway answered from its own cache came to no replica: it is left out and counted, or it would look like a hit of the replica's.
func TestAnsweredFromCache(t *testing.T) {
	const served = `{"ts":1772355600,"call_type":"acompletion","cache_hit":false,"messages":[{"role":"user","content":"Why?"}]}` + "\n"
	for members, want := range map[string]bool{
		`"call_type":"acompletion","cache_hit":true`: true, `"call_type":"acompletion","cache_hit":"True"`: true, `"cache_key":"a","cache_hit":true`: true, `"provider":"workers-ai","cached":true`: true,
		`"call_type":"acompletion","cache_hit":null`: false, `"call_type":"acompletion","cache_hit":"False"`: false, `"call_type":"acompletion","cache_hit":"None"`: false,
		`"provider":"workers-ai","cached":false`: false, `"cache_hit":true`: false, `"cached":true`: false,
	} {
		got, notes := readText(t, served+`{"ts":1772355601,`+members+`,"messages":[{"role":"user","content":"Why?"}]}`+"\n")
		if cached := len(got) == 1; cached != want || strings.Contains(notes, "Left out: 1, answered from the gateway's own cache") != want {
			t.Errorf("%s: %d requests\n%s", members, len(got), notes)
		}
	}
}
