package health

import "testing"

func TestEndings(t *testing.T) {
	for status, want := range map[int]Ending{
		200: Answered, 400: Answered, 429: Answered, 500: Failed, 501: Failed,
		502: Refused, 503: Refused, 504: TimedOut, 0: Answered,
	} {
		if got := EndingOf(status); got != want {
			t.Errorf("status %d: ending %d, want %d", status, got, want)
		}
	}
}
