package console

import (
	"fmt"
	"os"
	"time"
)

// meter shows what long work is at: on a terminal a line that is drawn anew, elsewhere a line a minute.
type meter struct {
	began, shown time.Time
	drawn        bool // a line stands on the terminal
}

// How often progress is shown.
const (
	onTerminal = 100 * time.Millisecond
	elsewhere  = time.Minute
)

// At shows that done of total steps are done (total 0: nobody knows of how many), and what is next.
func (s *Streams) At(done, total int, what string) {
	now := time.Now()
	if s.meter.began.IsZero() {
		s.meter.began, s.meter.shown = now, now
	}
	tty := terminal(s)
	if every := map[bool]time.Duration{true: onTerminal, false: elsewhere}[tty]; now.Sub(s.meter.shown) < every {
		return
	}
	s.meter.shown = now
	text := progressText(done, total, what, now.Sub(s.meter.began))
	if !tty {
		fmt.Fprintln(s.Stderr, text)
		return
	}
	fmt.Fprintf(s.Stderr, "\r\x1b[K%s", text)
	s.meter.drawn = true
}

// progressText is such as "7 of 31, 1m20s left: seed 2, cache_aware".
func progressText(done, total int, what string, took time.Duration) string {
	switch {
	case total > 0 && done > 0 && done <= total:
		left := time.Duration(float64(took) / float64(done) * float64(total-done))
		return fmt.Sprintf("%d of %d, %s left: %s", done, total, left.Round(time.Second), what)
	case total > 0:
		return fmt.Sprintf("%d of %d: %s", done, total, what)
	case done > 0:
		return fmt.Sprintf("%d, after %s: %s", done, took.Round(time.Second), what)
	}
	return what
}

// Step shows what is next where nobody knows how much there is.
func (s *Streams) Step(what string) { s.At(0, 0, what) }

// Anew begins the time that At reckons with.
func (s *Streams) Anew() { s.meter = meter{} }

// Progress shows how many requests are done, from now on.
func (s *Streams) Progress(what string) func(done, total int) {
	s.Anew()
	return func(done, total int) {
		if done%100 == 0 {
			s.At(done, total, what+", requests")
		}
	}
}

// ClearLine removes what At has drawn.
func (s *Streams) ClearLine() {
	if s.meter.drawn {
		fmt.Fprint(s.Stderr, "\r\x1b[K")
	}
	s.meter = meter{}
}

// terminal reports whether stderr is one.
func terminal(s *Streams) bool {
	file, ok := s.Stderr.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
