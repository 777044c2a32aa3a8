package console

import (
	"bytes"
	"testing"
	"time"
)

func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		done, total int
		took        time.Duration
		want        string
	}{
		{0, 0, 0, "x"}, {0, 8, 0, "0 of 8: x"}, {2, 8, 10 * time.Second, "2 of 8, 30s left: x"}, {7, 0, 5 * time.Second, "7, after 5s: x"}, {9, 8, time.Second, "9 of 8: x"},
	} {
		if got := progressText(c.done, c.total, "x", c.took); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A line that was longer than a narrow terminal's is cleared whole.
func TestClearLine(t *testing.T) {
	var errs bytes.Buffer
	s := &Streams{Stderr: &errs}
	s.meter.drawn = true
	s.ClearLine()
	if errs.String() != "\r\x1b[K" || s.meter.drawn {
		t.Errorf("%q", errs.String())
	}
}
