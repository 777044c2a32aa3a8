package logs

import (
	"fmt"
	"strings"
	"testing"
)

// A part of a log is the same part in whatever shape the log is, and its answers belong to it.
func TestPartsOfALog(t *testing.T) {
	var records, spans, requests, answers []string
	for i := range 6 {
		records = append(records, lineAt(fmt.Sprintf(`"2026-03-01T09:00:0%dZ"`, i), i))
		spans = append(spans, fmt.Sprintf(`{"startTimeUnixNano":"177235560%d000000000","attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"content\":\"Row %d?\"}]"}}]}`, i, i))
		requests = append(requests, fmt.Sprintf(`{"custom_id":"r%d","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Row %d?"}]}}`, i, i))
		status := 200
		if i == 1 {
			status = 500
		}
		answers = append(answers, fmt.Sprintf(`{"custom_id":"r%d","response":{"status_code":%d,"body":{"usage":{"completion_tokens":%d}}}}`, i, status, i+5))
	}
	lines := strings.Join(records, "\n")
	list := "[\n" + strings.Join(records, ",\n") + "]"
	otel := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
	asked, said := strings.Join(requests, "\n")+"\n", strings.Join(answers, "\n")+"\n"
	for name, c := range map[string]struct {
		files       []string
		skip, limit int
		want        string // the rows and lengths of answers, or the error
	}{
		"lines":                  {[]string{lines}, 2, 3, "2 211, 3 211, 4 211"},
		"a list":                 {[]string{list}, 2, 3, "2 211, 3 211, 4 211"},
		"spans in one object":    {[]string{otel}, 0, 3, "0 211, 1 211, 2 211"},
		"a batch, then answers":  {[]string{asked, said}, 0, 3, "0 5, 2 7"},
		"answers, then a batch":  {[]string{said, asked}, 0, 3, "0 5, 2 7, 3 8"},
		"a batch with answers":   {[]string{asked + said}, 0, 3, "0 5, 2 7"},
		"the same in one line":   {[]string{strings.ReplaceAll(asked+said, "\n", "")}, 0, 3, "0 5, 2 7"},
		"in two lines":           {[]string{strings.ReplaceAll(asked+said, "}\n{", "}{") + requests[0]}, 0, 3, "0 5, 2 7"},
		"all of it is left out":  {[]string{lines}, 6, 0, "log0: nothing is left after the first 6 lines, which --skip leaves out"},
		"more than all":          {[]string{list}, 9, 0, "log0: nothing is left after the first 6 lines, which --skip leaves out"},
		"a table of broken rows": {[]string{"time,prompt\n1772355600,\"a\"b\n1772355601,\"x\"y\"\n"}, 0, 0, "log0: no request in 2 lines\n  2 × a row that is broken"},
	} {
		var files []File
		for i, text := range c.files {
			files = append(files, File{fmt.Sprintf("log%d", i), strings.NewReader(text)})
		}
		got, report, err := Read(files, Options{Skip: c.skip, Limit: c.limit})
		var rows []string
		for _, line := range got {
			_, row, _ := strings.Cut(string(line.Body), "Row ")
			rows = append(rows, fmt.Sprintf("%s %d", row[:1], line.OutputTokens))
		}
		have := strings.Join(rows, ", ")
		if err != nil {
			have = err.Error()
		}
		if !strings.HasPrefix(have, c.want) || err == nil && have != c.want {
			t.Errorf("%s: %s, want %s", name, have, c.want)
		}
		for _, l := range report.causes() {
			if l.why != "failed" && err == nil {
				t.Errorf("%s: left out, though not to be read: %v", name, report.Notes())
			}
		}
	}
}
