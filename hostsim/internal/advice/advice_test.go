package advice

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/sweep/sweeptest"
	"warmroute/hostsim/internal/verdict"
	"warmroute/plugin/config"
)

// The advice follows what the trace is like: much reuse helps, none does not, and each says what limits it.
func TestAdvise(t *testing.T) {
	much, none := loads.Usual, loads.Usual
	much.Requests, much.Prefixes, much.Load = 400, 64, 0.9
	none.Requests, none.Reuse, none.Turns = 300, 0, 1
	for _, c := range []struct {
		name   string
		made   loads.Made
		want   string
		policy string
		limits []string
	}{
		{"reuse", much, "This will help you: ", contender.Default, []string{"memory", "placement", "nothing"}},
		{"no reuse", none, "This will not help you: ", "", []string{"nothing shared"}},
	} {
		goals, err := ParseGoals([]string{"ttft_p95=2s"})
		if err != nil {
			t.Fatal(err)
		}
		s := sweeptest.Of(t, c.made)
		a, err := Give(s, 3, 0, goals)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(a.Verdict, c.want) || a.Policy != c.policy {
			t.Errorf("%s: %s (policy %q)", c.name, a.Verdict, a.Policy)
		}
		if !strings.Contains(strings.Join(c.limits, ", "), a.Limit.By) || a.Limit.Why == "" {
			t.Errorf("%s: limited by %q: %s", c.name, a.Limit.By, a.Limit.Why)
		}
		if f := a.Fleet; f.Same < 1 || f.Same > a.Replicas || f.ByLoad != 0 && f.ByLoad < a.Replicas || f.Goal < 1 || f.GoalBy != 0 && f.GoalBy < f.Goal && a.Helps {
			t.Errorf("%s: %+v", c.name, f)
		}
		if s.Done() < s.Total-8 || s.Done() > s.Total+8 {
			t.Errorf("%s: %d replays, %d were planned", c.name, s.Done(), s.Total)
		}
		page, err := a.Page("a test")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := page.WriteHTML(&b); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		settings, ok := a.Settings()
		if ok != (c.policy != "") || strings.Contains(b.String(), "WasmPlugin") != ok {
			t.Errorf("%s: a configuration is advised: %v", c.name, ok)
		}
		if ok {
			if got, err := config.Parse([]byte(settings.JSON())); err != nil || got.Policy.String() != c.policy {
				t.Errorf("%s: %v: %s", c.name, err, settings.JSON())
			}
		}
	}
}

// Of a handful of requests nothing follows.
func TestTooFewToJudge(t *testing.T) {
	made := loads.Usual
	made.Requests, made.Prefixes = 20, 4
	a, err := Give(sweeptest.Of(t, made), 2, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := a.Screen()
	text := page.Lead + strings.Join(page.Findings, " ")
	if a.Helps || !strings.Contains(text, "Too few requests to tell: 20. From 100 on") || !strings.Contains(text, fmt.Sprintf("takes about %d", 100*a.Replicas)) {
		t.Errorf("%v: %s", a.Helps, text)
	}
	if whole, err := a.Page("a test"); err != nil || len(page.Sections)+len(whole.Sections) > 0 {
		t.Errorf("a table is shown: %v, %+v", err, whole.Sections)
	}
}

// First tokens that come sooner are not all that users feel: where whole answers gain nothing by it, that is said.
func TestWholeAnswersAreJudged(t *testing.T) {
	for want, whole := range map[string]verdict.Interval{
		"": {Mean: .05, Low: .04, High: .06},
		" Whole answers take about as long as before, 984 ms instead of 900 ms.": {Mean: 0, Low: -.01, High: .01},
		" Whole answers take longer, 984 ms instead of 900 ms.":                  {Mean: -.09, Low: -.1, High: -.08},
	} {
		a := Advice{Requests: 1000, Replicas: 3, ByLoad: "join_shortest_queue", Gain: verdict.Interval{Mean: .22, Low: .2, High: .24}, GainWhole: whole, Means: [2]Means{{TTFT: 15, Whole: 900}, {TTFT: 12, Whole: 984}}}
		if a.judge(); !a.Helps || strings.Contains(a.Verdict, "Whole answers") != (want != "") || !strings.HasSuffix(a.Verdict, want) {
			t.Errorf("%+v: %s", whole, a.Verdict)
		}
	}
	a := Advice{Requests: 1000, Replicas: 3, Gain: verdict.Interval{Mean: .22, Low: .2, High: .24}, Means: [2]Means{{TTFT: 15, Whole: 984}, {TTFT: 12, Whole: 984}}}
	if a.judge(); !strings.HasSuffix(a.Verdict, " Whole answers take as long as before, 984 ms.") {
		t.Errorf("one figure: %s", a.Verdict)
	}
}
