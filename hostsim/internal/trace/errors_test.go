package trace

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// What no reader gets over is said in words: a line without an end, a file that is still being compressed.
func TestFilesThatBreakOff(t *testing.T) {
	const line = `{"t":0,"body":{"model":"m","prompt":"x"},"output_tokens":1}` + "\n"
	if _, err := Read(io.MultiReader(strings.NewReader(line), strings.NewReader(strings.Repeat("x", MaxLine+1))), "a", Options{}); err == nil || err.Error() != "a:2: the line is longer than 64 MiB" {
		t.Error(err)
	}
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	if _, err := w.Write([]byte(line)); err != nil || w.Flush() != nil {
		t.Fatal(err)
	}
	if _, err := Read(&zip, "a", Options{}); err == nil || err.Error() != "a:2: the file breaks off: unexpected EOF" {
		t.Error(err)
	}
}
