package console

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"warmroute/hostsim/internal/report"
)

// seen says whether a file was there when the first line was printed.
type seen struct {
	file  string
	first *bool
}

func (w seen) Write(b []byte) (int, error) {
	if w.first != nil && !*w.first {
		_, err := os.Stat(w.file)
		*w.first = err == nil
	}
	return len(b), io.ErrClosedPipe
}

// What took minutes is written before anything is printed: `| head` ends the program.
func TestFilesAreWrittenBeforeTables(t *testing.T) {
	o, there := Output{JSON: filepath.Join(t.TempDir(), "results.json")}, false
	_ = o.Write(&Streams{Ctx: t.Context(), Stdout: seen{o.JSON, &there}, Stderr: io.Discard}, &report.Page{Lead: "a finding"}, map[string]int{"a": 1})
	if !there {
		t.Error("printed before the results were written")
	}
}
