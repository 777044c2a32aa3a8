package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/config"
)

// The policies of the study come first, then all others, in the table's order; and the default is the schema's.
func TestPolicies(t *testing.T) {
	if len(Policies) != int(config.Policies) {
		t.Errorf("%d policies, want %d: %v", len(Policies), config.Policies, Policies)
	}
	c, err := config.Parse([]byte(`{"endpoints": ["10.0.0.1:80"]}`))
	if err != nil || c.Policy.String() != Default {
		t.Errorf("the default is %v (%v), want %s", c.Policy, err, Default)
	}
}

func sweep(t *testing.T, m Made) *Sweep {
	t.Helper()
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, m.Trace(1, 4, p))
	o.Profile = p
	return &Sweep{Context: t.Context(), Base: o, Progress: func(int, int, string) {}}
}

// A trace without reuse is told so, and one with much reuse the opposite.
func TestTuneSaysWhenItWillNotHelp(t *testing.T) {
	much, none := Usual, Usual
	much.Requests, much.Prefixes = 400, 64
	none.Requests, none.Reuse, none.Turns = 400, 0, 1
	for _, c := range []struct {
		name  string
		made  Made
		helps bool
		want  string
	}{
		{"reuse", much, true, "This will help you: "},
		{"no reuse", none, false, "This will not help you: "},
	} {
		got, err := Tune(sweep(t, c.made), 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got.Helps != c.helps || !strings.HasPrefix(got.Verdict, c.want) {
			t.Errorf("%s: %s (%+v)", c.name, got.Verdict, got.Gain)
		}
		var b strings.Builder
		if err := got.Page("a test").WriteHTML(&b); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: the page lacks the verdict (%v)", c.name, err)
		}
	}
}

// What repeats of a trace of bodies is counted in the tokens that replicas make of them, here as in NewBounds.
func TestTuneCountsWhatBodiesRepeat(t *testing.T) {
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, `{"t":%d,"body":{"model":"m","prompt":"%s"},"output_tokens":4}`+"\n", i, strings.Repeat(fmt.Sprintf("of %d, ", i%20), 200))
	}
	bodies, err := trace.Read(strings.NewReader(lines.String()), "bodies", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, bodies)
	bounds, err := NewBounds(bodies, o.Replicas, o.Profile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tune(&Sweep{Context: t.Context(), Base: o, Progress: func(int, int, string) {}}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Each prompt comes three times; the jitter of 20 s changes their order, but not how much repeats.
	if got.Infinite != bounds.Infinite || got.Infinite < 0.6 || got.Infinite > 2./3 || strings.Contains(got.Verdict, "ever repeat") {
		t.Errorf("a cache that never forgets finds %v, by its bounds %v, want nearly 2/3: %s", got.Infinite, bounds.Infinite, got.Verdict)
	}
}

func TestConfidence(t *testing.T) {
	// R: t.test(c(1, 2, 3, 4, 5)): 1.036757 to 4.963243.
	got := confidence([]float64{1, 2, 3, 4, 5})
	if math.Abs(got.Mean-3) > 1e-9 || math.Abs(got.Low-1.0366) > 1e-3 || math.Abs(got.High-4.9634) > 1e-3 {
		t.Errorf("%+v", got)
	}
	if one := confidence([]float64{7}); one != (interval{7, 7, 7}) {
		t.Errorf("of one value: %+v", one)
	}
}

// The load asked for is the load that is made.
func TestMadeLoad(t *testing.T) {
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []float64{0.3, 1} {
		m := Usual
		m.Load, m.Think = load, 0.1
		tr := m.Trace(3, 8, p)
		work := 0.0
		for _, r := range tr.Requests {
			work += float64(p.PrefillTime(0, r.InputTokens))
		}
		span := float64(tr.Requests[len(tr.Requests)-1].At)
		if got := work / 8 / span; got < load*0.9 || got > load*1.1 {
			t.Errorf("load %v, want %v", got, load)
		}
	}
}

func TestTradeoff(t *testing.T) {
	m := Usual
	m.Requests = 300
	points, err := Tradeoff(sweep(t, m), []float64{0, 1, 8}, []float64{0.5, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 6 || points[0].Hit >= points[1].Hit {
		t.Errorf("%+v: want more found with affinity than without", points)
	}
	if a, regret := robust([]TradeoffPoint{{Affinity: 0, Regret: 0.4}, {Affinity: 1, Regret: 0.1}, {Affinity: 0, Regret: 0}, {Affinity: 1, Regret: 0.2}}); a != 1 || regret != 0.2 {
		t.Errorf("robust: %v at %v, want 1 at 0.2", a, regret)
	}
	if _, err := TradeoffPage(points, "a test"); err != nil {
		t.Error(err)
	}
}

func TestStaleness(t *testing.T) {
	m := Usual
	m.Requests = 300
	points, err := Staleness(sweep(t, m))
	if err != nil {
		t.Fatal(err)
	}
	page, err := StalenessPage(points, "a test")
	if err != nil {
		t.Fatal(err)
	}
	if want := (2 + 3) * len(StaleIntervals); len(points) != want || len(page.Findings) != 4 {
		t.Errorf("%d points, %d findings; want %d and 4", len(points), len(page.Findings), want)
	}
}
