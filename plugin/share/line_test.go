package share

import (
	"testing"

	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
)

func TestLine(t *testing.T) {
	const now, unit = int64(1_790_000_000e9), int64(1) << timeUnit
	for _, want := range []queue.Line{
		{},
		{Waiting: 3, Queued: 1234, Begun: now - 5e6, Ended: now},
		{Waiting: 1, Queued: 2000, Begun: now - 3600e9, Ended: now - 30*3600e9},
		{Waiting: 1, Queued: 20_480, Begun: now + pool.UnsentFor, Ended: now},
	} {
		b := make([]byte, lineSize)
		putLine(b, &want, now)
		got := getLine(b, now)
		if got.Waiting != want.Waiting || got.Queued != want.Queued {
			t.Errorf("%+v reads as %+v", want, got)
		}
		if want.Waiting > 0 && (want.Begun-got.Begun >= unit || got.Begun > want.Begun || want.Ended-got.Ended >= unit || got.Ended > want.Ended) {
			t.Errorf("%+v reads as %+v", want, got)
		}
	}
	b := make([]byte, lineSize)
	putLine(b, &queue.Line{Waiting: 1 << 20}, now)
	if got := getLine(b, now); got.Waiting != 1<<16-1 || got.Ended > now {
		t.Errorf("reads as %+v", got)
	}
}

// What was days ago, or never, does not seem to be now: the endpoint would seem to have begun its first prompt just then, at each look.
func TestLineOfLongAgo(t *testing.T) {
	b := make([]byte, lineSize)
	for hours := range int64(100) {
		now := int64(1_790_000_000e9) + hours*3600e9
		for _, ended := range []int64{0, now - 45*3600e9, now - 77*3600e9} {
			putLine(b, &queue.Line{Ended: ended}, now)
			if got := getLine(b, now+maxAge).Ended; got > now-38*3600e9 {
				t.Errorf("what ended %d hours ago ended %d s ago as it is read", (now-ended)/3600e9, (now-got)/1e9)
			}
		}
	}
}
