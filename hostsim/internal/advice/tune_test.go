package advice

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/sweep/sweeptest"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/verdict"
)

// A trace without reuse is told so, and one with much reuse the opposite.
func TestTuneSaysWhenItWillNotHelp(t *testing.T) {
	much, none := loads.Usual, loads.Usual
	much.Requests, much.Prefixes = 400, 64
	none.Requests, none.Reuse, none.Turns = 400, 0, 1
	for _, c := range []struct {
		name  string
		made  loads.Made
		helps bool
		want  string
	}{
		{"reuse", much, true, "This will help you: "},
		{"no reuse", none, false, "This will not help you: "},
	} {
		got, err := Tune(sweeptest.Of(t, c.made), 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got.Helps != c.helps || !strings.HasPrefix(got.Verdict, c.want) {
			t.Errorf("%s: %s (%+v)", c.name, got.Verdict, got.Gain)
		}
	}
}

// What repeats of a trace of bodies is counted in the tokens that replicas make of them, here as in verdict.NewBounds.
func TestTuneCountsWhatBodiesRepeat(t *testing.T) {
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, `{"t":%d,"body":{"model":"m","prompt":"%s"},"output_tokens":4}`+"\n", i, strings.Repeat(fmt.Sprintf("of %d, ", i%20), 200))
	}
	bodies, err := trace.Read(strings.NewReader(lines.String()), "bodies", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := sweeptest.Options(t, bodies)
	bounds, err := verdict.NewBounds(&o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tune(&sweep.Sweep{Context: t.Context(), Base: o, Progress: func(int, int, string) {}}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Each prompt comes three times; the jitter of 20 s changes their order, but not how much repeats.
	if got.Infinite != bounds.Infinite || got.Infinite < 0.6 || got.Infinite > 2./3 || strings.Contains(got.Verdict, "ever repeat") {
		t.Errorf("a cache that never forgets finds %v, by its bounds %v, want nearly 2/3: %s", got.Infinite, bounds.Infinite, got.Verdict)
	}
}
