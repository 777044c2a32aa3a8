package tree

import (
	"strings"
	"testing"
)

// An error of YAML names its line in the text, whatever documents stand before.
func TestErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n\tb: 2\n":                          "document 1: error converting YAML to JSON: yaml: line 2:",
		"# comment\n\nx: y: z\n":                  "document 1: error converting YAML to JSON: yaml: line 3:",
		"---\na: 1\n---\nb: 2\nx: y: z\n":         "document 2: error converting YAML to JSON: yaml: line 5:",
		"a: 1\nb: 2\n---\n\n---\nb: 2\nx: y: z\n": "document 2: error converting YAML to JSON: yaml: line 7:",
		"\n---\nx: y: z\n":                        "document 1: error converting YAML to JSON: yaml: line 3:",
	} {
		if _, err := Documents([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]int{"": 0, "---\n": 0, "a: 1": 1, "---\na: 1\n---\nb: 2\n": 2, "\n\na: 1\n--- \nb: 2": 2} {
		if all, err := Documents([]byte(text)); err != nil || len(all) != want {
			t.Errorf("%q: got %v, %v, want %d documents", text, all, err, want)
		}
	}
}
