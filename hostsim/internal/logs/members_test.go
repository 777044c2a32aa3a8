package logs

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/loose"
)

// Two requests 7 s apart, of which the second's time, and what the record has of its answer, is written in several ways.
func TestMembers(t *testing.T) {
	const body = `"model":"m","messages":[{"role":"user","content":"Why?"}]`
	began := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	text := func(layout string) func(time.Time) string {
		return func(at time.Time) string { return string(loose.Marshal(at.Format(layout))) }
	}
	number := func(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
	for name, c := range map[string]struct {
		record string // with % for the time
		form   func(time.Time) string
		took   float64 // s that the time is after the request
	}{
		"Postgres":      {`{"at_time":%,` + body + `}`, text("2006-01-02 15:04:05.000000Z07"), 0},
		"Postgres, UTC": {`{"ts":%,` + body + `}`, func(at time.Time) string { return string(loose.Marshal(at.Format(time.DateTime) + ".010541+00")) }, 0},
		"Postgres, elsewhere": {`{"ts":%,` + body + `}`, func(at time.Time) string {
			return string(loose.Marshal(at.Add(-3*time.Hour).Format("2006-01-02 15:04:05.000000") + "-03"))
		}, 0},
		"JavaScript's date":    {`{"start_time":%,` + body + `}`, text("Mon Jan 02 2006 15:04:05 GMT-0700 (Central European Standard Time)"), 0},
		"a browser's blank":    {`{"start_time":%,` + body + `}`, text("1/2/2006, 3:04:05\u202fPM"), 0},
		"Kibana's table":       {`{"@timestamp":%,` + body + `}`, text("Jan 2, 2006 @ 15:04:05.000"), 0},
		"a month by its name":  {`{"time":%,` + body + `}`, text("02-Jan-2006 15:04:05"), 0},
		"names with capitals":  {`{"Timestamp":%,"Model":"m","Prompt":"Why?","Response":"Because."}`, text(time.RFC3339), 0},
		"capitals alone":       {`{"TIMESTAMP":%,"MODEL":"m","MESSAGES":[{"role":"user","content":"Why?"}],"MAX_TOKENS":9}`, text(time.RFC3339), 0},
		"capitals inside":      {`{"Time":%,"Request":{"Model":"m","Prompt":"Why?"}}`, text(time.RFC3339), 0},
		"capitals in an event": {`{"@timestamp":%,"event":{"Prompt":"Why?","Model":"m"}}`, text(time.RFC3339), 0},
		"Mongo":                {`{"createdAt":{"$date":%},` + body + `}`, text("2006-01-02T15:04:05.000Z"), 0},
		"Mongo, canonical":     {`{"createdAt":{"$date":{"$numberLong":"%"}},` + body + `}`, number, 0},
		"a protobuf's":         {`{"start_time":{"seconds":"%","nanos":0},` + body + `}`, func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }, 0},
		"Java's zone": {`{"time":%,` + body + `}`, func(at time.Time) string {
			return string(loose.Marshal(at.Add(time.Hour).Format("2006-01-02T15:04:05.000") + "+01:00[Europe/Paris]"))
		}, 0},
		"a month between":        {`{"time":%,` + body + `}`, text("2 Jan 2006 15:04:05"), 0},
		"ms since 1970":          {`{"ts_ms":%,` + body + `}`, number, 0},
		"µs, by a short name":    {`{"t_us":%000,` + body + `}`, number, 0},
		"an epoch":               {`{"epoch":%,` + body + `}`, number, 0},
		"an epoch, in ns":        {`{"EpochNanos":%000000,` + body + `}`, number, 0},
		"Unix":                   {`{"unix_ms":%,` + body + `}`, number, 0},
		"an arrival":             {`{"arrival":%,` + body + `}`, number, 0},
		"LiteLLM's callbacks":    {`{"kwargs":{` + body + `,"standard_logging_object":{"call_type":"acompletion","startTime":%,"completion_tokens":9,` + body + `}},"log_time":"x"}`, text(time.RFC3339Nano), 0},
		"LiteLLM's kwargs":       {`{` + body + `,"standard_logging_object":{"call_type":"acompletion","startTime":%,"completion_tokens":9,` + body + `}}`, text(time.RFC3339Nano), 0},
		"Caddy":                  {`{"level":"info","ts":"%","logger":"http.log.access.log0","duration":1.5,"status":200,` + body + `}`, func(at time.Time) string { return strconv.FormatFloat(float64(at.UnixMilli())/1e3, 'f', 3, 64) }, 1.5},
		"behind a pod's name":    {`[pod/gw-abc/istio-proxy] % {` + body + `}`, func(at time.Time) string { return at.Format(time.RFC3339Nano) }, 0},
		"a collector's body":     {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"%000000","body":{"stringValue":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Why?\"}]}"}}]}]}]}`, number, 0},
		"a collector's members":  {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"%000000","body":{"kvlistValue":{"values":[{"key":"request_body","value":{"stringValue":"{\"model\":\"m\",\"prompt\":\"Why?\"}"}}]}}}]}]}]}`, number, 0},
		"the end, and ms":        {`{"end_time":%,"duration_ms":1500,` + body + `}`, text(time.RFC3339Nano), 1.5},
		"the end, and a latency": {`{"completed_at":%,"latency":1.5,` + body + `}`, text(time.RFC3339Nano), 1.5},
		"a latency in whole ms":  {`{"completed_at":%,"latency":1500,` + body + `}`, text(time.RFC3339Nano), 1.5},
		"a duration with a unit": {`{"completed_at":%,"duration":"1.5s",` + body + `}`, text(time.RFC3339Nano), 1.5},
		"a duration of ms":       {`{"completed_at":%,"duration":"1500ms",` + body + `}`, text(time.RFC3339Nano), 1.5},
		"a flat span":            {`{"name":"chat m","startTimeUnixNano":"%000000","attributes":{"gen_ai.input.messages":[{"role":"user","content":"Why?"}]}}`, number, 0},
		"a flat span's list":     {`{"name":"chat m","startTimeUnixNano":%000000,"attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"content\":\"Why?\"}]"}}]}`, number, 0},
		"ClickHouse's span":      {`{"Timestamp":%,"SpanName":"chat m","Duration":1500000000,"StatusCode":"Unset","SpanAttributes":{"gen_ai.input.messages":"[{\"role\":\"user\",\"content\":\"Why?\"}]"}}`, text("2006-01-02 15:04:05.000000000"), 0},
	} {
		// The first answer takes 3 s longer, so that a time of the end alone would be seen.
		first := strings.NewReplacer("1.5", "4.5", "1500", "4500").Replace(c.record)
		took := time.Duration(c.took * float64(time.Second))
		longer := took
		if took > 0 {
			longer += 3 * time.Second
		}
		log := strings.ReplaceAll(first, "%", c.form(began.Add(longer))) + "\n" + strings.ReplaceAll(c.record, "%", c.form(began.Add(took+7*time.Second))) + "\n"
		got, notes := readText(t, log)
		if len(got) != 2 || got[1].T < 6.99 || got[1].T > 7.01 || !strings.Contains(string(got[1].Body), "Why?") || strings.Contains(string(got[1].Body), "Prompt") {
			t.Errorf("%s: %+v\n%s\n%s", name, got, notes, log)
		}
	}
	// ClickHouse's spans as a table, whose maps have simple quotes.
	if got, notes := readText(t, "Timestamp,Duration,SpanAttributes\n2026-03-01 09:00:00.5,1500000000,\"{'gen_ai.request.model':'m','gen_ai.input.messages':'[{\\\"\"role\\\"\":\\\"\"user\\\"\",\\\"\"content\\\"\":\\\"\"Why?\\\"\"}]'}\"\n"); len(got) != 1 || !strings.Contains(notes, "over 0 s") {
		t.Errorf("%+v\n%s", got, notes)
	}
	// A flat span that failed is one more that is left out.
	const span = `{"startTimeUnixNano":1772355600000000000,"status":{"code":2},"attributes":{"gen_ai.input.messages":[{"role":"user","content":"Why?"}]}}` + "\n"
	if got, notes := readText(t, strings.Replace(span, `"code":2`, `"code":1`, 1)+span); len(got) != 1 || !strings.Contains(notes, "1, failed") {
		t.Errorf("%d spans\n%s", len(got), notes)
	}
	// What a member with capitals says of an answer counts.
	if got, _ := readText(t, `{"Timestamp":"2026-03-01T09:00:00Z","Prompt":"Why?","Response":"12345678"}`+"\n"); got[0].OutputTokens != 2 {
		t.Errorf("%+v", got)
	}
}
