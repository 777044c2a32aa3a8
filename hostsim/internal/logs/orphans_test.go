package logs

import (
	"slices"
	"strings"
	"testing"
)

// The first answer without its request is the same each time, also where several files have one in the same line.
func TestFirstOrphanIsTheSame(t *testing.T) {
	const answer = `{"custom_id":"%","response":{"status_code":200,"body":{"choices":[{"message":{"content":"Yes."}}],"usage":{"completion_tokens":2}}}}`
	for range 40 {
		files := []File{{Name: "requests.log", In: strings.NewReader(`{"custom_id":"r","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Hello."}]}}`)}}
		for _, name := range []string{"a.log", "b.log", "c.log", "d.log"} {
			files = append(files, File{Name: name, In: strings.NewReader(strings.Replace(answer, "%", name, 1))})
		}
		_, report, err := Read(files, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if notes := report.Notes(); !slices.ContainsFunc(notes, func(note string) bool { return strings.HasSuffix(note, "the first is a.log:1.") }) {
			t.Fatalf("%q", notes)
		}
	}
}
