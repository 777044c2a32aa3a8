package share

import (
	"testing"

	"warmroute/plugin/pool"
)

func TestLine(t *testing.T) {
	const now, unit = int64(1_790_000_000e9), int64(1) << timeUnit
	for _, want := range []pool.Line{
		{},
		{Waiting: 3, Queued: 1234, Begun: now - 5e6, Ended: now},
		{Waiting: 1, Queued: 2000, Begun: now - 3600e9, Ended: now - 30*3600e9},
	} {
		b := make([]byte, lineSize)
		putLine(b, &want)
		got := getLine(b, now)
		if got.Waiting != want.Waiting || got.Queued != want.Queued {
			t.Errorf("%+v reads as %+v", want, got)
		}
		if want.Waiting > 0 && (want.Begun-got.Begun >= unit || got.Begun > want.Begun || want.Ended-got.Ended >= unit || got.Ended > want.Ended) {
			t.Errorf("%+v reads as %+v", want, got)
		}
	}
	b := make([]byte, lineSize)
	putLine(b, &pool.Line{Waiting: 1 << 20})
	if got := getLine(b, now); got.Waiting != 1<<16-1 || got.Ended > now {
		t.Errorf("reads as %+v", got)
	}
}
