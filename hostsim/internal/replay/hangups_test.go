package replay

import (
	"reflect"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// Clients hang up while their requests are held, on their way, queued and answered: each request ends once, no answer comes to nobody, and both
// engines are told the same.
func TestHangUps(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	usual := func(*testing.T) Options { return replayOptions(t, "cache_aware") }
	for name, c := range map[string]struct {
		of    func(*testing.T) Options
		with  func(o *Options)
		after time.Duration
	}{
		"open loop":   {usual, func(*Options) {}, 300 * time.Millisecond},
		"at once":     {usual, func(*Options) {}, time.Nanosecond},
		"closed loop": {usual, func(o *Options) { o.Closed, o.Concurrency, o.Scrape = true, 30, time.Second }, time.Second},
		"whole":       {usual, func(o *Options) { o.Whole = true }, 300 * time.Millisecond},
		"held":        {func(t *testing.T) Options { return crowd(t, 80_000) }, func(*Options) {}, 20 * time.Second},
		"zones":       {usual, func(o *Options) { o.Zones = Zones{Count: 2, Delay: 100 * time.Millisecond} }, 200 * time.Millisecond},
		"front ends": {usual, func(o *Options) {
			o.FrontEnd, o.Cores, o.Scrape = FrontEnd{20 * time.Millisecond, time.Millisecond}, 2, time.Second
		}, 200 * time.Millisecond},
		"rollout": {usual, func(o *Options) { o.Rollout(Span{3 * time.Second, 9 * time.Second}) }, 500 * time.Millisecond},
	} {
		o := c.of(t)
		c.with(&o)
		all := result(t, o)
		o.HangUps = HangUps{0.4, c.after}
		native := result(t, o)
		wait := 0
		for _, after := range o.HangUps.draw(native.Requests, o.Seed) {
			if after == 0 {
				wait++
			}
		}
		if n := native.HungUp; n < native.Requests/20 || n > native.Requests-wait || len(native.TTFTs) != wait || all.HungUp != 0 || len(all.TTFTs) != all.Requests {
			t.Errorf("%s: %d of %d hung up, %d were answered whose clients wait, of %d; %d where all wait", name, n, native.Requests, len(native.TTFTs), wait, all.HungUp)
		}
		o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
			return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
		}
		if wasm := result(t, o); !reflect.DeepEqual(wasm, native) {
			t.Errorf("%s:\n wasm   %+v\n native %+v", name, wasm, native)
		}
	}
	for _, wrong := range []HangUps{{-0.1, time.Second}, {1.1, time.Second}, {0.5, 0}} {
		o := usual(t)
		o.HangUps = wrong
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}

// Which clients hang up does not depend on where their requests went.
func TestHangUpsAreTheSameForAllPolicies(t *testing.T) {
	h := HangUps{0.3, time.Second}
	first, again, other := h.draw(1000, 1), h.draw(1000, 1), h.draw(1000, 2)
	n, sum := 0, 0.0
	for _, after := range first {
		if after > 0 {
			n, sum = n+1, sum+float64(after)/1e9
		}
	}
	if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, other) || n < 250 || n > 350 || sum/float64(n) < .8 || sum/float64(n) > 1.2 {
		t.Errorf("%d of 1,000 hang up after %.2f s, want some 300 after 1", n, sum/float64(n))
	}
}
