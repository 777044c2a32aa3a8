package logs

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
)

// indentedAt is a record of lineAt over several lines, the first of them behind so many spaces.
func indentedAt(n, column int) string {
	space := strings.Repeat(" ", column)
	return space + strings.Join([]string{"{", fmt.Sprintf(` "start_time": "2026-03-01T09:00:%02dZ",`, n), ` "request_body": {`, `  "messages": [`, `   {`, fmt.Sprintf(`    "content": "Row %d?",`, n),
		`    "role": "user"`, `   }`, `  ],`, `  "model": "m"`, ` }`, `}`}, "\n"+space)
}

// Records are read whatever stands between them, and one that is broken costs no other.
func TestRecordsBehindEachOther(t *testing.T) {
	const many, bad = 30, 10
	whole, cut := make([]string, many), make([]string, many)
	indented, broken, nested, listed := make([]string, many), make([]string, many), make([]string, many), make([]string, many)
	messages, odd := make([]string, many), make([]string, many)
	for i := range many {
		whole[i] = lineAt(fmt.Sprintf(`"2026-03-01T09:00:%02dZ"`, i), i)
		indented[i] = indentedAt(i, 0)
		listed[i] = indentedAt(i, 2)
		messages[i] = `[{"role":"user","content":` + string(loose.Marshal(fmt.Sprintf("Row %d?", i))) + `}]`
	}
	copy(cut, whole)
	copy(broken, indented)
	copy(nested, indented)
	copy(odd, messages)
	cut[bad] = whole[bad][:len(whole[bad])/2]
	broken[bad] = indented[bad][:strings.Index(indented[bad], "Row")+2]
	nested[bad] = indented[bad][:strings.Index(indented[bad], "[")+1]
	odd[bad] = messages[bad][:len(messages[bad])-5]
	listed[bad] = listed[bad][:strings.Index(listed[bad], "Row")]
	first := append([]string{broken[bad]}, indented[:many-1]...)
	const left = "Left out: 1, not whole JSON: cut short?; the first is a.log:%d."
	for name, c := range map[string]struct {
		text string
		want int
		note string
	}{
		"a slice of a list":                      {strings.Join(whole, ",\n"), many, ""},
		"a slice of a list, with its end":        {strings.Join(whole, " ,\r\n") + "]\r\n", many, ""},
		"more behind the first record":           {whole[0] + " # x\n" + strings.Join(whole[1:], "\n"), many, "Left out: 1, neither JSON, nor a line of"},
		"one cut record before the next":         {strings.Join(whole[:bad], "\n") + "\n" + cut[bad] + strings.Join(whole[bad+1:], "\n"), many - 1, fmt.Sprintf(left, bad+1)},
		"one line":                               {strings.Join(whole, ""), many, ""},
		"one line, with its end":                 {strings.Join(whole, " ") + "\n", many, ""},
		"several lines":                          {strings.Join(whole[:bad], "") + "\n" + strings.Join(whole[bad:20], " ") + "\n" + strings.Join(whole[20:], ", "), many, ""},
		"one line, of which one record is cut":   {strings.Join(cut, ""), many - 1, fmt.Sprintf(left, 1)},
		"a list in one line, with one cut":       {"[" + strings.Join(cut, ",") + "]", many - 1, fmt.Sprintf(left, 1)},
		"indented, with one cut in a text":       {strings.Join(broken, "\n"), many - 1, fmt.Sprintf(left, 12*bad+1)},
		"indented, with one cut in a list":       {strings.Join(nested, "\n"), many - 1, fmt.Sprintf(left, 12*bad+1)},
		"indented, of which the first is cut":    {strings.Join(first, "\n"), many - 1, fmt.Sprintf(left, 1)},
		"indented, with more behind one":         {indented[0] + " # x\n" + strings.Join(indented[1:], ",\n"), many, fmt.Sprintf(left, 12)},
		"an indented list with one cut":          {"[\n" + strings.Join(listed, ",\n") + "\n]\n", many - 1, fmt.Sprintf(left, 12*bad+2)},
		"lists of messages, of which one is cut": {strings.Join(odd, "\n"), many - 1, fmt.Sprintf(left, bad+1)},
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(c.text)}}, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		notes := strings.Join(report.Notes(), "\n")
		if len(got) != c.want || !strings.Contains(notes, c.note) || strings.Contains(notes, "Left out") != (c.note != "") {
			t.Errorf("%s: %d requests; want %d and the note %q\n%s", name, len(got), c.want, c.note, notes)
		}
	}
}
