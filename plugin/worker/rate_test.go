package worker

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
	"warmroute/plugin/recent"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

// The rate of requests is that of the last second, not of the minute for which they are remembered.
func TestRateOfTheLastSecond(t *testing.T) {
	var r rate
	given, perSecond := 0.0, 0.0
	for s := range 200 {
		now := int64(1e15) + int64(s)*1e9
		if s >= 20 && s < 150 {
			given += 100
		}
		perSecond = r.of(given, now)
		if want := 100.0; s > 20 && s < 150 && (perSecond < 0.8*want || perSecond > 1.01*want) || s < 20 && perSecond != 0 || s > 151 && perSecond > 0.05*want {
			t.Errorf("second %d: %.1f requests a second", s, perSecond)
		}
		given *= 1 - 1e9/recent.Span
	}
	if r.of(5, 1e15) > 5 {
		t.Error("where the clock was set back")
	}
}

// A gateway that can tell of no more than its requests wakes nobody for a first token, nor for an end; one that can, for each. First tokens
// come before ends, and ends are told where endpoints are at their bounds of load.
func TestRequestsThenFirstTokensThenEnds(t *testing.T) {
	const now = int64(1e15)
	for _, c := range []struct {
		perSecond    float64
		others       int
		firsts, ends int // of 100 each, those that are told at once
	}{{8, 7, 100, 100}, {10, 7, 100, 85}, {20, 7, 42, 0}, {40, 7, 0, 0}, {40, 1, 100, 100}, {80, 1, 100, 50}, {1000, 0, 100, 0}} {
		cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"]}`))
		if err != nil {
			t.Fatal(err)
		}
		store, woken := memstore.New(), 0
		known := pool.New(&cfg, cfg.IndexBytes)
		known.SetGatewayPlace(0, c.others+1)
		known.Look(now)
		known.NoteAtBound()
		p := Pool{known: known, board: share.New(store, known), rate: rate{perSecond: c.perSecond, at: now}}
		p.board.Wake = func(uint32) { woken++ }
		for what, of := range map[string]struct {
			tell func(now int64)
			want int
		}{"first tokens": {p.tellFirstToken, c.firsts}, "ends": {p.tellEnd, c.ends}} {
			woken = 0
			for range 100 {
				share.Arm(store, 1, 0)
				of.tell(now)
			}
			if woken != of.want {
				t.Errorf("%v requests a second, %d others: %d of 100 %s are told at once, want %d", c.perSecond, c.others, woken, what, of.want)
			}
		}
	}
}
