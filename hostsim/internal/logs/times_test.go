package logs

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/trace"
)

// requests is a log of n records, each with the members that of gives it beside its body.
func requests(n int, of func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{%s,"model":"m","messages":[{"role":"user","content":"Row %d?"}]}`+"\n", of(i), i)
	}
	return b.String()
}

func readText(t *testing.T, log string) ([]trace.Line, string) {
	t.Helper()
	got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, loose.Short(log, 400))
	}
	return got, strings.Join(report.Notes(), "\n")
}

// A time that all records have alike is none: the next is taken, or requests come one by one, and what stands there is shown.
func TestStuckClocks(t *testing.T) {
	const apart = "Requests are taken to come 1 s apart (hostsim import --gap)"
	for name, c := range map[string]struct {
		log  string
		last float64
		want []string
	}{
		"the model's": {requests(40, func(i int) string { return fmt.Sprintf(`"created":1700000000,"logged_at":%d`, 1772355600+10*i) }), 390,
			[]string{"All 40 requests have the same time (a.log:1 has created: 1700000000): it is not when they came. Taken instead: logged_at.", "over 6 minutes"}},
		"no other": {requests(40, func(int) string { return `"created":1700000000` }), 39,
			[]string{"All 40 requests have the same time (a.log:1 has created: 1700000000): it is not when they came. " + apart}},
		"0":     {requests(3, func(int) string { return `"timestamp":0` }), 2, []string{"All 3 requests have the same time (a.log:1 has timestamp: 0): it is", apart}},
		"texts": {requests(40, func(int) string { return `"date":"2026-03-01","time":"2026-03-01 09:00:00"` }), 39, []string{`a.log:1 has time: "2026-03-01 09:00:00"`, apart}},
		"most": {requests(10, func(i int) string { return fmt.Sprintf(`"ts":%d`, 1772355600+10*max(0, i-5)) }), 9,
			[]string{"6 of 10 requests have the same time (a.log:1 has ts: 1772355600): it is not when they came. " + apart}},
		"half": {requests(10, func(i int) string { return fmt.Sprintf(`"ts":%d`, 1772355600+10*max(0, i-4)) }), 50, []string{"over 50 s"}},
		"two":  {requests(2, func(int) string { return `"ts":1772355600` }), 0, []string{"over 0 s"}},
		"when they were written": {requests(40, func(i int) string {
			return fmt.Sprintf(`"ts":1772355600.%06d,"sent":"2026-03-01T09:00:%02dZ"`, 100*i, i)
		}), 39,
			[]string{"All 40 requests have times within 3.9 ms (a.log:1 has ts: 1772355600.000000): these are not when they came. Taken instead: sent."}},
		"one after another": {requests(40, func(i int) string { return fmt.Sprintf(`"created":1700000000,"ts":0,"start_time":%d`, 1772355600+i) }), 39, []string{"over 39 s"}},
		"two that are none": {requests(40, func(i int) string { return fmt.Sprintf(`"created":1700000000,"ts":0,"sent_at":%d`, 1772355600+i) }), 39,
			[]string{"has ts: 0): it is not when they came. All 40 requests have the same time (a.log:1 has created: 1700000000): it is not when they came. Taken instead: sent_at."}},
		"of an inner record": {strings.NewReplacer(`{"ts"`, `{"time":"2026-03-01T09:00:07Z","event":{"ts"`, "}]}\n", "}]}}\n").Replace(requests(40, func(i int) string { return `"ts":0` })), 39, []string{"has ts: 0", `has time: "2026-03-01T09:00:07Z"`, apart}},
		"of what is around it": {requests(9, func(i int) string {
			return fmt.Sprintf(`"time":"2026-03-01T09:00:%02dZ","message":{"time":0,"messages":[{"role":"user","content":"a"}]},"x":1`, i)
		}), 8, []string{"over 8 s"}},
		"of a table": {"created,sent_at,prompt\n" + strings.Repeat("1700000000,2026-03-01 09:00:00,a b c\n1700000000,2026-03-01 09:00:07,a b c\n", 2), 7,
			[]string{"All 4 requests have the same time (a.log:2 has created: \"1700000000\")", "Taken instead: sent_at"}},
	} {
		got, notes := readText(t, c.log)
		if last := got[len(got)-1].T; last-c.last > 1e-3 || c.last-last > 1e-3 {
			t.Errorf("%s: the last comes at %v s, want %v\n%s", name, last, c.last, notes)
		}
		for _, want := range c.want {
			if !strings.Contains(notes, want) {
				t.Errorf("%s: the notes lack %q:\n%s", name, want, notes)
			}
		}
	}
}

// Conversations that have one date all together begin apart, as those without a date.
func TestStuckConversations(t *testing.T) {
	const talk = `{"created":1700000000,"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"},{"from":"human","value":"c"},{"from":"gpt","value":"d"}]}` + "\n"
	got, notes := readText(t, strings.Repeat(talk, 12))
	if last := got[len(got)-1].T; len(got) != 24 || last != 42 || !strings.Contains(notes, "All 12 conversations have the same time (a.log:1 has created: 1700000000)") {
		t.Errorf("%d requests, the last at %v s\n%s", len(got), last, notes)
	}
}

// Spreadsheets count days; a log's own seconds are none.
func TestSerialDays(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		last float64
	}{
		"days": {requests(20, func(i int) string { return fmt.Sprintf(`"Timestamp":%.9f`, 46347.375+float64(i)/86400) }), 19},
		"with a comma": {requests(20, func(i int) string {
			return strings.Replace(fmt.Sprintf(`"timestamp":"%.9f"`, 46347.375+float64(i)/86400), ".", ",", 1)
		}), 19},
		"of another name": {requests(20, func(i int) string { return fmt.Sprintf(`"Date of call":%.9f`, 46347.375+float64(i)/86400) }), 19},
		"with ends": {requests(20, func(i int) string {
			return fmt.Sprintf(`"start_time":%.9f,"end_time":%.9f`, 46347.375+float64(i)/86400, 46347.375+float64(i+3)/86400)
		}), 19},
		"seconds":       {requests(20, func(i int) string { return fmt.Sprintf(`"timestamp":%d.5`, 19000+1000*i) }), 19000},
		"whole seconds": {requests(20, func(i int) string { return fmt.Sprintf(`"timestamp":%d`, 30000+10*i) }), 190},
	} {
		got, notes := readText(t, c.log)
		if last := got[len(got)-1].T; last-c.last > 1e-2 || c.last-last > 1e-2 || strings.Contains(notes, "no times") {
			t.Errorf("%s: the last comes at %v s, want %v\n%s", name, last, c.last, notes)
		}
	}
}

// A record whose time is far from all others comes with the one before it.
func TestFarTimes(t *testing.T) {
	at := func(n int, far map[int]int) string {
		return requests(n, func(i int) string { return fmt.Sprintf(`"ts":%d`, 1772355600+60*i+far[i]) })
	}
	for name, c := range map[string]struct {
		log  string
		last float64
		note string
	}{
		"ten years after":  {at(60, map[int]int{7: 3650 * 86400}), 3540, "Without a time that fits the others: 1 request (a.log:8 has ts: 2087716020), taken to come with the one before."},
		"ten years before": {at(60, map[int]int{0: -3650 * 86400}), 3480, "Without a time that fits the others: 1 request (a.log:1 has ts: 1456995600)"},
		"two of them":      {at(60, map[int]int{7: 3650 * 86400, 9: -2000 * 86400}), 3540, "Without a time that fits the others: 2 requests (a.log:8 has"},
		"one of six":       {at(6, map[int]int{5: 3650 * 86400}), 240, "Without a time that fits the others: 1 request (a.log:6 has"},
		"the next morning": {at(60, map[int]int{59: 20 * 3600}), 3540 + 20*3600, "over 21 hours"},
		"a month of days":  {requests(30, func(i int) string { return fmt.Sprintf(`"ts":%d`, 1772355600+86400*i) }), 29 * 86400, "over 29 days"},
	} {
		got, notes := readText(t, c.log)
		if last := got[len(got)-1].T; last != c.last || !strings.Contains(notes, c.note) {
			t.Errorf("%s: the last comes at %v s, want %v and the note %q\n%s", name, last, c.last, c.note, notes)
		}
	}
}

// A time that cannot be read is said where another is taken for it; lengths as tables of floats have them are read.
func TestUnreadableTimes(t *testing.T) {
	got, notes := readText(t, requests(4, func(i int) string {
		return fmt.Sprintf(`"start_time":"03/01/2026 09:00:%02d","completion_tokens":120.0,"response":{"created":%d}`, i, 1772355600+7*i)
	}))
	const want = `A time that cannot be read: 4 requests (a.log:1 has start_time: "03/01/2026 09:00:00"); taken instead: response.created.`
	if got[3].T != 21 || got[0].OutputTokens != 120 || !strings.Contains(notes, want) {
		t.Errorf("the last comes at %v s, %d tokens\n%s", got[3].T, got[0].OutputTokens, notes)
	}
}
