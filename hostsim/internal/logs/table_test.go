package logs

import (
	"strings"
	"testing"
)

// A table of prompts alone is one, with and without quotes.
func TestOneColumn(t *testing.T) {
	for log, want := range map[string]string{
		"prompt\nWhy?\nAnd then?\n":                                                           `"prompt":"And then?"`,
		"\ufeffPrompt\r\n\"Why?\"\r\n\"And,\r\nthen?\"\r\n":                                   `"prompt":"And,\nthen?"`,
		"prompt\nWhy, if at all?\nAnd \"then\", what?\n":                                      `"prompt":"And \"then\", what?"`,
		"messages\n" + strings.Repeat(`"[{""role"":""user"",""content"":""Why?""}]"`+"\n", 2): `"messages":[{"role":"user","content":"Why?"}]`,
	} {
		got, notes := readText(t, log)
		if len(got) != 2 || !strings.Contains(string(got[1].Body), want) {
			t.Errorf("%q: %d requests, the last %s\n%s", log, len(got), got[len(got)-1].Body, notes)
		}
	}
}

// A table whose columns say nothing is refused with their names, and the name that one must have.
func TestUnknownColumns(t *testing.T) {
	for log, want := range map[string]string{
		"when,question,reply\n2026-03-01,Why?,Because.\n":   "its columns are when, question, reply. One must be named prompt",
		"Wann;Frage\n1;Warum?\n":                            "its columns are Wann, Frage. One must be named prompt",
		"when, it rains; {why}: no\n":                       "no request in 1 lines",
		"Timestamp,Request tokens,Response tokens\n1,2,3\n": "Lengths do not say",
	} {
		_, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "its columns") != strings.Contains(want, "its columns") {
			t.Errorf("%q: want %q in %v", log, want, err)
		}
	}
}

// MySQL, Spark and others have a backslash before a quote, where others have it twice.
func TestEscapedTables(t *testing.T) {
	const plain = `[{"role":"user","content":"Which \"row\"\nis ripe?"}]`
	all := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(plain)       // MySQL, Python
	quotes := strings.NewReplacer(`\"`, `\\\"`, `"`, `\"`).Replace(plain) // Spark
	for name, field := range map[string]string{"all backslashes": all, "those before quotes": quotes} {
		log := "started_at,prompt,tokens\n" + `"2026-03-01 09:00:00","` + field + `",5` + "\n" + `"2026-03-01 09:00:07","` + field + `",\N` + "\n"
		got, notes := readText(t, log)
		if len(got) != 2 || got[1].T != 7 || !strings.Contains(string(got[1].Body), plain) {
			t.Errorf("%s: %+v\n%s\n%s", name, got, notes, log)
		}
	}
}
