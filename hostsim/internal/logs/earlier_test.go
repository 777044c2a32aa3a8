package logs

import (
	"strings"
	"testing"
)

// A prompt of token ids stays as it is, though it is compared with others; it continues the one whose ids it begins with.
func TestTokenIds(t *testing.T) {
	const (
		one = `{"timestamp":"2026-03-01T09:00:0$Z","event":"request.finished","rid":"$","obj":{"text":null,"input_ids":[`
		out = `]},"out":{"meta_info":{}}}` + "\n"
	)
	ids := strings.Repeat("12345,", 20)
	log := strings.ReplaceAll(one, "$", "1") + ids + "7" + out + strings.ReplaceAll(one, "$", "2") + ids + "7,8" + out
	got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
	if err != nil || len(got) != 2 || report.Sessions != 1 {
		t.Fatalf("%v, %+v, %+v", err, got, report)
	}
	for i, end := range []string{"7", "7,8"} {
		if want := `{"model":"sglang","prompt":[` + ids + end + `]}`; string(got[i].Body) != want {
			t.Errorf("%s, want %s", got[i].Body, want)
		}
	}
}

// A prompt that names an earlier answer has the turns before it, and what the log lacks is said.
func TestEarlier(t *testing.T) {
	const first = `{"ts":1772355600,"request":{"model":"m","instructions":"Be brief.","input":"Which row?"},"response":{"id":"r1","output":[{"type":"reasoning"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Row 7."}]}],"usage":{"output_tokens":3}}}` + "\n"
	const second = `{"ts":1772355607,"request":{"model":"m","input":[{"role":"user","content":"And?"}],"previous_response_id":"r1"},"response":` +
		`"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r2\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}],\"usage\":{\"output_tokens\":3}}}\n\n"}` + "\n"
	const third = `{"ts":1772355609,"request":{"model":"m","input":"Why?","previous_response_id":"r2"}}` + "\n"
	got, report, err := Read([]File{{"a.log", strings.NewReader(first + second + third)}}, Options{})
	if err != nil || len(got) != 3 || report.Restored != 2 || report.Short != 0 || got[2].Session != got[0].Session {
		t.Fatalf("%v, %+v, %+v", err, got, report)
	}
	const turns = `{"content":"Which row?","role":"user"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Row 7."}]},{"role":"user","content":"And?"}`
	if want := `{"input":[` + turns + `,{"type":"message","role":"assistant","content":[]},{"content":"Why?","role":"user"}],"model":"m"}`; string(got[2].Body) != want {
		t.Errorf("%s, want %s", got[2].Body, want)
	}
	_, report, err = Read([]File{{"a.log", strings.NewReader(first + third)}}, Options{})
	if err != nil || report.Restored != 0 || report.Short != 1 || !strings.Contains(strings.Join(report.Notes(), "\n"), "which the log lacks") {
		t.Errorf("%v, %+v", err, report)
	}
}
