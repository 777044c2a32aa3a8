package logs

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// Shapes that people have at hand, of one chat of two turns 7 s apart.
func natural() map[string]string {
	const (
		first  = `[{"role":"user","content":"Which row isn't ripe?"}]`
		second = `[{"role":"user","content":"Which row isn't ripe?"},{"role":"assistant","content":"Row 7."},{"role":"user","content":"And then?"}]`
		python = `[{'role': 'user', 'content': "Which row isn't ripe?"}, {'role': 'assistant', 'content': 'Row 7.', 'refusal': None, 'ok': True}, {'role': 'user', 'content': 'And then?'}]`
	)
	quote := func(s string) string { return string(loose.Marshal(s)) }
	body := func(messages string) string { return `{"model":"m","messages":` + messages + `}` }
	pair := func(form func(at time.Time, messages string) string, between string) string {
		t := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		return form(t, first) + between + form(t.Add(7*time.Second), second)
	}
	iso := func(t time.Time) string { return t.Format(time.RFC3339) }
	lines := func(form func(at time.Time, messages string) string) string { return pair(form, "\n") }
	return map[string]string{
		"a string of messages": lines(func(t time.Time, m string) string { return `{"ts":"` + iso(t) + `","messages":` + quote(m) + `}` }),
		"messages as Python writes them": `{"ts":"2026-03-01T09:00:00Z","messages":` + quote(first) + "}\n" +
			`{"ts":"2026-03-01T09:00:07Z","messages":` + quote(python) + `}`,
		"a dict in Python's log": lines(func(t time.Time, m string) string {
			return t.Format("2006-01-02 15:04:05,000") + ` INFO gw: {'model': 'm', 'messages': ` + strings.NewReplacer(`"`, `'`, `isn't`, `isn\'t`).Replace(m) + `}`
		}),
		"Elastic's documents": lines(func(t time.Time, m string) string {
			return `{"_source":{"@timestamp":"` + iso(t) + `","http":{"request":{"method":"POST","body":{"content":` + quote(body(m)) + `}}}}}`
		}),
		"Elastic's answer": `{"took":3,"hits":{"total":{"value":2},"hits":[` + pair(func(t time.Time, m string) string {
			return `{"_id":"a","_source":{"@timestamp":"` + iso(t) + `","http":{"request":{"body":{"content":` + quote(body(m)) + `}}}}}`
		}, ",") + `]}}`,
		"Loki's answer": `{"status":"success","data":{"result":[{"stream":{},"values":[` + pair(func(t time.Time, m string) string {
			return `["` + string(loose.Marshal(t.UnixNano())) + `",` + quote(`{"request_body":`+quote(body(m))+`}`) + `]`
		}, ",") + `]}]}}`,
		"CloudWatch's events": `{"events":[` + pair(func(t time.Time, m string) string {
			return `{"timestamp":` + string(loose.Marshal(t.UnixMilli())) + `,"message":` + quote(`{"body":`+body(m)+`}`) + `}`
		}, ",") + `]}`,
		"Helicone": lines(func(t time.Time, m string) string {
			return `{"request_created_at":"` + iso(t) + `","request_body":` + body(m) + `}`
		}),
		"names of no list": lines(func(t time.Time, m string) string {
			return `{"emitted_time_ms":` + string(loose.Marshal(t.UnixMilli())) + `,"expires_time":1893456000,"anfrage":` + body(m) + `}`
		}),
		"logfmt": lines(func(t time.Time, m string) string {
			return `level=info time=` + iso(t) + ` status=200 path=/v1/chat/completions body=` + quote(body(m))
		}),
		"a table whose names say nothing": "\ufeffZeit;Anfrage\n" + lines(func(t time.Time, m string) string {
			return t.Format("02.01.2006 15:04:05") + `;"` + strings.ReplaceAll(body(m), `"`, `""`) + `"`
		}),
		"Windows' ends of lines": pair(func(t time.Time, m string) string { return `{"time":"` + iso(t) + `","body":` + body(m) + `}` }, "\r\n") + "\r\n",
		"an array, cut":          "[\n" + pair(func(t time.Time, m string) string { return `{"time":"` + iso(t) + `","body":` + body(m) + `}` }, ",\n"),
		"American dates": lines(func(t time.Time, m string) string {
			return `{"date":"` + t.Format("1/2/2006, 3:04:05 PM") + `","body":` + body(m) + `}`
		}),
		"a name for each request": lines(func(t time.Time, m string) string {
			return `{"startTime":` + string(loose.Marshal(t.Unix())) + `,"trace_id":"` + iso(t) + `","messages":` + m + `}`
		}),
		"Langfuse": `[` + pair(func(t time.Time, m string) string {
			return `{"traceId":"a","startTime":"` + iso(t) + `","input":` + m + `,"model":"m","output":{"role":"assistant","content":"Row 7."}}`
		}, ",") + `]`,
		"Envoy's tap": lines(func(t time.Time, m string) string {
			return `{"http_buffered_trace":{"request":{"headers":[{"key":":path","value":"/v1/chat/completions"},{"key":":method","value":"POST"}],"headers_received_time":"` + iso(t) +
				`","body":{"truncated":false,"as_bytes":"` + base64.StdEncoding.EncodeToString([]byte(body(m))) + `"}},"response":{"headers":[{"key":":status","value":"200"}],"body":{"as_string":"{}"}}}}`
		}),
		"Jaeger": `{"data":[{"spans":[` + pair(func(t time.Time, m string) string {
			return `{"operationName":"chat m","startTime":` + string(loose.Marshal(t.UnixMicro())) + `,"duration":1500000,"tags":[{"key":"gen_ai.input.messages","type":"string","value":` + quote(m) + `}]}`
		}, ",") + `]}]}`,
		"OpenInference, nested": lines(func(t time.Time, m string) string {
			return `{"start_time":"` + iso(t) + `","span_kind":"LLM","attributes":{"llm":{"input_messages":` + strings.ReplaceAll(strings.ReplaceAll(m, "{", `{"message":{`), "}", "}}") + `}}}`
		}),
		"Phoenix's columns": lines(func(t time.Time, m string) string {
			return `{"start_time":"` + iso(t) + `","attributes.llm.input_messages":` + strings.NewReplacer(`"role"`, `"message.role"`, `"content"`, `"message.content"`).Replace(m) + `}`
		}),
		"parts of lines, of containerd": lines(func(t time.Time, m string) string {
			return iso(t) + ` stdout P {"body":{"model":` + "\n" + iso(t) + " stderr F other\n" + iso(t) + ` stdout P "m","mess` + "\n" + iso(t) + ` stdout F ages":` + m + `}}`
		}),
		"parts of lines, of Docker": lines(func(t time.Time, m string) string {
			whole := `{"pad":"` + strings.Repeat("x", 16<<10) + `","time":"` + iso(t) + `","body":` + body(m) + "}\n"
			return `{"log":` + quote(whole[:16<<10]) + `,"stream":"stdout","time":"` + iso(t) + `"}` + "\n" + `{"log":` + quote(whole[16<<10:]) + `,"stream":"stdout","time":"` + iso(t) + `"}`
		}),
		"messages in a column of any name": "Zeit,Gespräch\n" + lines(func(t time.Time, m string) string {
			return iso(t) + `,"` + strings.ReplaceAll(m, `"`, `""`) + `"`
		}),
		"times of answers alone": lines(func(t time.Time, m string) string {
			return `{"request":` + body(m) + `,"response":{"id":"a","created":` + string(loose.Marshal(t.Unix())) + `,"usage":{"completion_tokens":3}}}`
		}),
		"answers that are named": `{"ts":"2026-03-01T09:00:00Z","request":{"model":"m","input":"Which row?"},"response":{"id":"r1","usage":{"output_tokens":3}}}` + "\n" +
			`{"ts":"2026-03-01T09:00:07Z","request":{"model":"m","input":"And then?","previous_response_id":"r1"},"response":{"id":"r2","usage":{"output_tokens":3}}}`,
		"nginx's text in a collector's line": lines(func(t time.Time, m string) string {
			return `{"log":` + quote(`10.0.0.9 - - [`+t.Format("02/Jan/2006:15:04:05 -0700")+`] "POST /v1/chat/completions HTTP/1.1" 200 512 `+quote(body(m))+"\n") + `,"kubernetes":{"pod":"gateway"}}`
		}),
		"syslog with its priority": lines(func(t time.Time, m string) string {
			return "<134>1 " + iso(t) + ` host gateway 7 - - {"body":` + body(m) + `}`
		}),
		"Splunk's events": lines(func(t time.Time, m string) string {
			return `{"preview":false,"result":{"_time":"` + iso(t) + `","_raw":` + quote(`{"body":`+body(m)+`}`) + `}}`
		}),
		"dicts that Python has printed": lines(func(t time.Time, m string) string {
			return `{'ts': '` + iso(t) + `', 'stream': True, 'messages': ` + strings.NewReplacer(`"`, `'`, `isn't`, `isn\'t`).Replace(m) + `}`
		}),
		"prompts and answers": `{"ts":"2026-03-01T09:00:00Z","input":"Which row isn't ripe? It is a long question, longer than 64 bytes.","output":"Row 7."}` + "\n" +
			`{"ts":"2026-03-01T09:00:07Z","input":"Which row isn't ripe? It is a long question, longer than 64 bytes. Row 7. And then?","output":"Row 8."}`,
	}
}

func TestNatural(t *testing.T) {
	for name, log := range natural() {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case len(got) != 2 || got[1].T != 7 || report.Timed != 2:
			t.Errorf("%s: %d requests, %d with a time, the last at %v s", name, len(got), report.Timed, got[len(got)-1].T)
		case got[0].Session != got[1].Session:
			t.Errorf("%s: two sessions, want one", name)
		case chats.AsTexts(loose.Read(got[1].Body).Object()):
			t.Errorf("%s: the messages are one text: %s", name, got[1].Body)
		}
	}
	// A data set of chats has neither times nor names.
	chats := `[{"role":"user","content":"Hello"}]` + "\n" + `[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"},{"role":"user","content":"And?"}]` + "\n"
	got, _, err := Read([]File{{"a.log", strings.NewReader(chats)}}, Options{})
	if err != nil || len(got) != 2 || got[1].T != 1 || got[0].Session != got[1].Session {
		t.Errorf("lists of messages: %+v, %v", got, err)
	}
}

// A whole conversation with its answers is each of its turns, and what observers log around a call is not another call.
func TestObserved(t *testing.T) {
	const call = `"traceId":"a","startTime":"2026-03-01T09:00:00Z","input":[{"role":"user","content":"Which row?"}],"model":"m"}`
	for log, want := range map[string]string{
		`[{"type":"SPAN",` + call + `,{"type":"GENERATION",` + call + `]`:                                                                 "1, not a call of a model: span",
		`{"run_type":"chain","inputs":` + `{"model":"m","prompt":"a"}}` + "\n" + `{"run_type":"llm","inputs":{"model":"m","prompt":"a"}}`: "1, not a call of a model: chain",
		`[{"chat":{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]},"created_at":1772355600}]`:              "Whole 1 conversation:",
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 1 || !strings.Contains(strings.Join(report.Notes(), "\n"), want) {
			t.Errorf("%s: %v, %d requests, want 1; %v", log, err, len(got), report)
		}
	}
}

// A name that all requests have, a project's say, makes no session of them; that of one conversation does.
func TestNameOfAll(t *testing.T) {
	const one = `{"ts":%,"session_id":"p","messages":[{"role":"user","content":"%"}]}` + "\n"
	log := strings.ReplaceAll(one, "%", "1772355601") + strings.ReplaceAll(one, "%", "1772355602")
	got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
	if err != nil || report.Sessions != 2 || report.Named != 0 || got[0].Session == got[1].Session {
		t.Errorf("%v, %+v", err, report)
	}
}

// A log that has each request twice, as its begin and its end, is suspected; what failed is left out wherever its status stands.
func TestTwiceAndFailed(t *testing.T) {
	const line = `{"ts":%,"response":{"status":200},"request":{"model":"m","messages":[{"role":"user","content":"row $?"}]}}` + "\n"
	log := ""
	for i := range 4 {
		one := strings.ReplaceAll(line, "$", strconv.Itoa(i))
		log += strings.ReplaceAll(one, "%", strconv.Itoa(1772355600+9*i)) + strings.ReplaceAll(one, "%", strconv.Itoa(1772355601+9*i))
	}
	got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
	if notes := strings.Join(report.Notes(), "\n"); err != nil || len(got) != 8 || !strings.Contains(notes, "The same prompt within 2 s: 4 requests") {
		t.Errorf("%v, %d requests\n%s", err, len(got), notes)
	}
	log += strings.NewReplacer("%", "1772355700", "200", `"503 Service Unavailable"`).Replace(line)
	if again, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{}); err != nil || len(again) != 8 || !strings.Contains(strings.Join(report.Notes(), "\n"), "1, failed") {
		t.Errorf("%v, %d requests, %v", err, len(again), report)
	}
}

// Reasons with something of the record in them do not fill the report.
func TestCausesHaveABound(t *testing.T) {
	r := newReport()
	for i := range 1000 {
		r.leave("reason "+strconv.Itoa(i), call.Place{File: "a.log", Line: i + 1})
	}
	if n := len(r.causes()); n != maxCauses+1 || r.causes()[0].n != 1000-maxCauses {
		t.Errorf("%d reasons, want %d and one for the others", n, maxCauses)
	}
}
