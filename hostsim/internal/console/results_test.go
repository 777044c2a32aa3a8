package console

import (
	"context"
	"errors"
	"io"
	"testing"
)

// What was kept is said by how much of all it is, where that is known.
func TestStopped(t *testing.T) {
	for total, want := range map[int]string{9: "stopped: 7 of 9 replays are done", 0: "stopped: the results are of what was done by then"} {
		s := &Streams{Stderr: io.Discard}
		if !s.Stopped(context.Canceled, 7, total, "replays") || s.ErrStopped() == nil || s.ErrStopped().Error() != want {
			t.Errorf("%d: %v, want %s", total, s.ErrStopped(), want)
		}
	}
	s := &Streams{Stderr: io.Discard}
	if s.Stopped(context.Canceled, 0, 9, "replays") || s.Stopped(errors.New("x"), 7, 9, "replays") || s.ErrStopped() != nil {
		t.Errorf("%v", s.ErrStopped())
	}
}
