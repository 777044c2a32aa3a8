package logs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/timeline"
)

// lineAt is a line of an access log with a body.
func lineAt(clock string, n int) string {
	return fmt.Sprintf(`{"start_time":%s,"request_body":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Row %d?\"}]}"}`, clock, n)
}

// A fault costs the record that has it, and is named with its line; all others are read.
func TestFaultsCostTheirOwnRecord(t *testing.T) {
	const first, second, third = `"2026-03-01T09:00:00Z"`, `"2026-03-01T09:00:07Z"`, `"2026-03-01T09:00:09Z"`
	a, b, c := lineAt(first, 1), lineAt(second, 2), lineAt(third, 3)
	body := func(n int) string {
		return fmt.Sprintf(`"{""messages"":[{""role"":""user"",""content"":""Row %d?""}]}"`, n)
	}
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	for i := range 3 {
		_, _ = w.Write([]byte(lineAt(first, i) + "\n"))
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	for name, log := range map[string]struct {
		text string
		want int
		note string
	}{
		"the first line is cut":         {a[:70] + "\n" + b + "\n" + c + "\n", 2, "Left out: 1, not whole JSON: cut short?; the first is a.log:1."},
		"a list that is being written":  {"[\n" + a + ",\n" + b + ",\n" + c[:40], 2, "all from here on: not JSON (unexpected EOF)"},
		"a list with a broken record":   {"[\n" + a + ",\n" + b[:60] + ",\n" + c + "\n]\n", 2, "not whole JSON: cut short?; the first is a.log:3."},
		"a file that is compressed yet": {zip.String(), 3, "the file breaks off, or is broken (unexpected EOF)"},
		"a table with a broken row": {"time,request_body\n" + first + "," + body(1) + "\n" + first + `,bad " quote` + "\n" + second + "," + body(2) + "\n",
			2, `Left out: 1, a row that is broken: bare " in non-quoted-field; the first is a.log:3.`},
		"one time is none":            {a + "\n" + lineAt(`"yesterday"`, 2) + "\n" + c, 3, `Without a time that fits the others: 1 request (a.log:2 has start_time: "yesterday"), taken`},
		"no time is one":              {lineAt(`"soon"`, 1) + "\n" + lineAt(`"later"`, 2), 2, `The log has no times (a.log:1 has start_time: "soon"): `},
		"one time is of the year one": {lineAt(`"0001-01-01T00:00:00Z"`, 1) + "\n" + b + "\n" + c, 3, `(a.log:1 has start_time: "0001-01-01T00:00:00Z")`},
		"one time is 0":               {a + "\n" + b + "\n" + lineAt("0", 3), 3, "(a.log:3 has start_time: 0)"},
		"one counts since 1970":       {lineAt("0.5", 1) + "\n" + lineAt("1772355600", 2) + "\n" + lineAt("9", 3), 3, "(a.log:2 has start_time: 1772355600)"},
		"one custom_id of two": {strings.ReplaceAll(a+"\n"+b, `{"start`, `{"custom_id":"r","start`) + "\n" + `{"custom_id":"r","response":{"status_code":200,"body":{"usage":{"completion_tokens":5}}}}`,
			2, "The custom_id of an earlier one: 1 request."},
		"times": {a + "\n" + b + "\n", 2, "from 2 lines, over 7 s."},
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log.text)}}, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		notes := strings.Join(report.Notes(), "\n")
		if last := got[len(got)-1].T; len(got) != log.want || last > 10 || !strings.Contains(notes, log.note) {
			t.Errorf("%s: %d requests, the last at %v s; want %d and the note %q\n%s", name, len(got), last, log.want, log.note, notes)
		}
	}
}

// Gateways that have the answer or the time beside the request, a level below the record.
func TestBesideTheRequest(t *testing.T) {
	const body = `"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Row %?\"}]}"`
	for name, log := range map[string]struct {
		line   string // with % for the request, and $ for its second
		output int
	}{
		"Kong": {`{"started_at":177235560$000,"latencies":{"request":1500},"request":{"method":"POST","uri":"/v1/chat/completions"},"response":{"status":200},
			"ai":{"proxy":{"usage":{"completion_tokens":12},"payload":{"request":` + body + `,"response":"{\"choices\":[],\"usage\":{\"completion_tokens\":12}}"}}}}`, 12},
		"MLflow": {`{"info":{"request_id":"tr-%","timestamp_ms":177235560$000,"execution_time_ms":1500,"status":"OK"},"data":{"request":` + body + `,"response":"{}"}}`, timeline.DefaultOutput},
		"Azure": {`TimeGenerated [UTC],ModelName,CompletionTokens,RequestMessages,ResponseMessages` + "\n" +
			`"3/1/2026, 9:00:0$.000 AM",m,12,"[{""role"":""user"",""content"":""Row %?""}]","[{""role"":""assistant"",""content"":""Row 7.""}]"`, 12},
	} {
		line := func(n string) string {
			return strings.NewReplacer("%", n, "$", n, "\n\t\t\t", "").Replace(log.line)
		}
		second := line("8")
		if _, row, table := strings.Cut(second, "\n"); table {
			second = row
		}
		got, report, err := Read([]File{{"a.log", strings.NewReader(line("1") + "\n" + second + "\n")}}, Options{})
		if err != nil || len(got) != 2 || got[1].T != 7 || got[1].OutputTokens != log.output || report.Timed != 2 {
			t.Errorf("%s: %v, %+v, %+v", name, err, got, report)
		}
	}
}

// vLLM's log at DEBUG has each request as a prompt and as the body that came: it counts once. A log of bodies alone has those.
func TestVLLMLogsTwice(t *testing.T) {
	const (
		body = `(APIServer pid=7) DEBUG 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:75] Request a$ JSON body: {"messages":[{"role":"user","content":"Row $?"}],"model":"m","max_tokens":9}` + "\n"
		rest = `(APIServer pid=7) DEBUG 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:55] Request chatcmpl-a$ details: prompt: 'Row $?', prompt_token_ids: [1, 2, $], prompt_embeds shape: None.` + "\n" +
			`(APIServer pid=7) INFO 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:65] Received request chatcmpl-a$: params: SamplingParams(n=1, max_tokens=9), lora_request: None.` + "\n" +
			`(APIServer pid=7) DEBUG 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:95] Generated response chatcmpl-a$ details: output_token_ids: [4, 5]` + "\n" +
			`(APIServer pid=7) INFO 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:100] Generated response chatcmpl-a$: output: 'Row 7 is.', finish_reason: stop` + "\n"
	)
	number := func(s string) string { return strings.ReplaceAll(s, "$", "1") + strings.ReplaceAll(s, "$", "8") }
	for log, want := range map[string]struct{ path, note string }{
		number(body + rest): {"/v1/completions", "Left out: 2, a request that vLLM logs once more, as it came; the first is a.log:1."},
		number(body):        {"/v1/chat/completions", "over 7 s"},
		strings.NewReplacer(`"`, `\"`, "\n", `\n","stream":"stderr"}`+"\n", "(API", `{"log":"(API`).Replace(number(body)): {"/v1/chat/completions", "over 7 s"},
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 2 || got[1].T != 7 || got[0].Path != want.path || !strings.Contains(strings.Join(report.Notes(), "\n"), want.note) {
			t.Errorf("%v, %+v, %v\n%s", err, got, report, log)
		}
	}
}
