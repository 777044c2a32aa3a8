package logs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"warmroute/hostsim/internal/timeline"
	"warmroute/hostsim/internal/trace"
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
	entry := func(n int) string {
		return fmt.Sprintf(`{"startedDateTime":"2026-03-01T09:00:0%dZ","request":{"method":"POST","headers":[{"name":"a","value":"]"}],"postData":{"text":"{\"messages\":[{\"role\":\"user\",\"content\":\"Row %d?\"}]}"}},"response":{"status":200}}`, n, n)
	}
	har := `{"log":{"pages":[{"id":"1"}],"entries":[` + entry(1) + "," + entry(2) + "," + entry(3) + `],"comment":""}}`
	broken := strings.Replace(har, `"text":"{\"messages\":[{\"role\":\"user\",\"content\":\"Row 2`, `"text":x"{\"messages\":[{\"role\":\"user\",\"content\":\"Row 2`, 1)
	spread := func(text string) string { // a few lines
		return strings.NewReplacer(`{"log":{`, "{\n \"log\": {\n  ", `{"started`, "\n   {\n    \"started", `"request"`, "\n    \"request\"", `200}}`, "200}\n   }").Replace(text)
	}
	const cutSpans = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},"scopeSpans":[{"spans":[` +
		`{"name":"chat m","spanId":"1","startTimeUnixNano":"1772355600000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Row 1?\"}]}]"}}]},` +
		`{"name":"chat m","spanId":"2","startTimeUnixNano":"1772355601000000000","attributes":[{"key":"gen_ai.oper`
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
		"an archive of HTTP that is cut":      {har[:len(har)-150], 2, "Left out: 1, not whole JSON: cut short?; the first is a.log:1."},
		"the same in lines":                   {spread(har)[:len(spread(har))-150], 2, "Left out: 1, not whole JSON: cut short?; the first is a.log:12."},
		"an archive of HTTP, an entry broken": {broken, 2, "Left out: 1, not whole JSON: cut short?; the first is a.log:1."},
		"the same in several lines":           {spread(broken), 2, "Left out: 1, not whole JSON: cut short?; the first is a.log:8."},
		"spans that are cut":                  {cutSpans, 1, "Left out: 1, not whole JSON: cut short?; the first is a.log:1."},
		"one time is none":                    {a + "\n" + lineAt(`"yesterday"`, 2) + "\n" + c, 3, `Without a time that fits the others: 1 request (a.log:2 has start_time: "yesterday"), taken`},
		"no time is one":                      {lineAt(`"soon"`, 1) + "\n" + lineAt(`"later"`, 2), 2, `The log has no times (a.log:1 has start_time: "soon"): `},
		"one time is of the year one":         {lineAt(`"0001-01-01T00:00:00Z"`, 1) + "\n" + b + "\n" + c, 3, `(a.log:1 has start_time: "0001-01-01T00:00:00Z")`},
		"one time is 0":                       {a + "\n" + b + "\n" + lineAt("0", 3), 3, "(a.log:3 has start_time: 0)"},
		"one counts since 1970":               {lineAt("0.5", 1) + "\n" + lineAt("1772355600", 2) + "\n" + lineAt("9", 3), 3, "(a.log:2 has start_time: 1772355600)"},
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

// A line that is too long is named, and costs no other one.
func TestLongLine(t *testing.T) {
	log := io.MultiReader(strings.NewReader("x\n"), strings.NewReader(strings.Repeat("x", trace.MaxLine+1)), strings.NewReader("\n"+lineAt("1772355600", 1)+"\n"))
	got, report, err := Read([]File{{"a.log", log}}, Options{})
	if err != nil || len(got) != 1 || !strings.Contains(strings.Join(report.Notes(), "\n"), "Left out: 1, a line longer than 64 MiB; the first is a.log:2.") {
		t.Errorf("%v, %d requests, %v", err, len(got), report)
	}
}

// A duration or a length that is no such number is as one that the log lacks: it keeps no other request from being read.
func TestNumbersThatAreNone(t *testing.T) {
	const body = `"request_body":{"model":"m","messages":[{"role":"user","content":"Why?"}]}}`
	for _, member := range []string{`"request_time":"NaN"`, `"request_time":"Inf"`, `"request_time":1e12`, `"duration":1e300`, `"latency":"1e999"`, `"endTime":"2099-01-01T00:00:00Z"`, `"completion_tokens":1000000000000000`} {
		log := `{"time":1772355600,` + body + "\n" + `{"time":1772355601,` + member + `,` + body + "\n"
		got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 2 || got[1].T != 1 || got[1].OutputTokens != timeline.DefaultOutput || got[0].OutputTokens != timeline.DefaultOutput {
			t.Errorf("%s: %v, %+v", member, err, got)
		}
	}
	for _, log := range []string{
		`[2026-03-01 09:00:01] Finish: obj=GenerateReqInput(rid='a', text='And?', input_ids=None), out={'meta_info': {'completion_tokens': 99999999999999999999, 'e2e_latency': 1e999}}`,
		`{"rid":"a","timestamp":"2026-03-01T09:00:00Z","event":"request.finished","obj":{"text":"And?"},"out":{"meta_info":{"completion_tokens":-3,"e2e_latency":"NaN"}}}`,
	} {
		got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 1 || got[0].T != 0 || got[0].OutputTokens != timeline.DefaultOutput {
			t.Errorf("%s: %v, %+v", log, err, got)
		}
	}
}

// What is left of one request that was cut is no request.
func TestOneThatIsCut(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"Row 1?"},{"role":"assistant","content":"Yes."},{"role":"user","content":"Row 2?"}]}`
	tap := `{"http_buffered_trace":{"request":{"headers":[{"key":":path","value":"/v1/chat/completions"}],"body":{"as_string":"` + strings.ReplaceAll(body, `"`, `\"`) + `"},"trailers":[{"key":"a","value":"b"}]}}}`
	for _, text := range []string{body, strings.ReplaceAll(body, `{"`, "{\n\""), `{"data":[{"body":` + body + `}]}`, tap} {
		for cut := 1; cut < len(text); cut++ {
			if got, _, err := Read([]File{{"a.log", strings.NewReader(text[:cut])}}, Options{}); err == nil {
				t.Fatalf("%s: %d requests: %s", text[:cut], len(got), got[0].Body)
			}
		}
	}
}
