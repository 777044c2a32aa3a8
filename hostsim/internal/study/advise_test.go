package study

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/sweep/sweeptest"
	"warmroute/hostsim/internal/trace"
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
		a, err := Advise(s, 3, goals)
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

func TestSkew(t *testing.T) {
	of := func(prompts ...trace.Blocks) *trace.Trace {
		tr := &trace.Trace{BlockSize: 16, IDs: 100}
		for _, b := range prompts {
			tr.Requests = append(tr.Requests, trace.Request{Blocks: b, InputTokens: 16 * b.Len(), After: -1})
		}
		return tr
	}
	hot := trace.Blocks{{First: 0, N: 2}}
	with := func(id uint32) trace.Blocks {
		return append(append(trace.Blocks{}, hot...), trace.Span{First: id, N: 1})
	}
	if got := newSkew(of(with(10), with(11), with(12), trace.Blocks{{First: 20, N: 3}}), 16); got != (Skew{0.75, 32}) {
		t.Errorf("%+v, want 3 of 4 with 32 tokens", got)
	}
	if got := newSkew(of(trace.Blocks{{First: 1, N: 1}}, trace.Blocks{{First: 2, N: 1}}, trace.Blocks{{First: 3, N: 1}}, trace.Blocks{{First: 4, N: 1}}), 16); got != (Skew{}) {
		t.Errorf("%+v of prompts that share nothing", got)
	}
}

func TestLeast(t *testing.T) {
	for want := 1; want <= 9; want++ {
		got, err := least(1, 9, func(n int) (bool, error) { return n >= want, nil })
		if err != nil || got != want {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
}

// Of a handful of requests nothing follows.
func TestTooFewToJudge(t *testing.T) {
	made := loads.Usual
	made.Requests, made.Prefixes = 20, 4
	a, err := Advise(sweeptest.Of(t, made), 2, nil)
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
