package logs

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"
)

// Bytes that are not UTF-8 are replaced in what is written, and the records that have them are counted, once each.
func TestNotUTF8(t *testing.T) {
	const (
		body   = `{"model":"m","messages":[{"role":"user","content":"Row *, caf` + "\xe9 \xe4\xf6" + `?"}]}`
		before = `{"start_time":"2026-03-01T09:00:00Z","request_body":`
	)
	quoted := `"` + strings.ReplaceAll(body, `"`, `\"`) + `"`
	for name, c := range map[string]struct {
		log  string
		want string // of the note
	}{
		"in UTF-8":         {strings.ToValidUTF8(body, "\ufffd\u00e9"), ""},
		"bodies":           {body + "\n" + strings.ToValidUTF8(body, "é") + "\n" + body, "2 records; the first is a.log:1."},
		"an access log":    {before + quoted + `,"user":"` + "\xe9" + `"}`, "1 record;"},
		"a list":           {"[\n" + body + ",\n" + body + "]", "2 records; the first is a.log:2."},
		"one line":         {body + body, "2 records; the first is a.log:1."},
		"base64":           {before + `"` + base64.StdEncoding.EncodeToString([]byte(body)) + `"}`, "1 record; the first is a.log:1."},
		"nginx's text":     {`x [01/Mar/2026:09:00:00 +0000] "POST /v1/chat/completions HTTP/1.1" 200 "` + strings.NewReplacer(`"`, `\x22`, "\xe9", `\xE9`).Replace(body) + `"`, "1 record;"},
		"a table":          {"time,request_body\n2026-03-01T09:00:00Z,\"" + strings.ReplaceAll(body, `"`, `""`) + `"`, "1 record; the first is a.log:2."},
		"Gemini's":         {`{"contents":[{"role":"user","parts":[{"text":"Row *, caf` + "\xe9" + `?"}]}]}`, "1 record;"},
		"beside a request": {`{"note":"` + "\xe9" + `"}` + "\n" + strings.ToValidUTF8(body, "é"), "1 record;"},
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(c.log)}}, Options{})
		if err != nil || len(got) == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range got {
			if line, err := got[i].Append(nil); err != nil || !utf8.Valid(line) || !strings.Contains(string(line), "Row *, caf") {
				t.Errorf("%s: written as %q, %v", name, line, err)
			}
		}
		notes := strings.Join(report.Notes(), "\n")
		if !strings.Contains(notes, "Not in UTF-8: "+c.want) == (c.want != "") {
			t.Errorf("%s: the notes lack %q:\n%s", name, c.want, notes)
		}
	}
}
