package advice

import (
	"fmt"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replaypage"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/setup"
	"warmroute/hostsim/internal/verdict"
)

// Settings are the configuration that is advised; false: none is.
func (a *Advice) Settings() (setup.Settings, bool) {
	s := setup.Settings{Policy: contender.Default}
	switch {
	case a.Policy == "":
		return s, false
	case !a.Helps: // it decides, and routes nothing, until somebody has seen what it would have done
		s.Policy, s.Shadow = "join_shortest_queue", contender.Default
	}
	if t := a.Affinity; t != nil && t.OverOurs.Low > verdict.NoGain {
		s.More = map[string]any{"cache_aware": map[string]any{"affinity": t.Affinity}}
	}
	return s, true
}

// Screen is the page's first part, for a terminal.
func (a *Advice) Screen() *report.Page {
	p := &report.Page{Title: "What routing by prefix is worth on this traffic", Lead: a.Verdict}
	if a.tooFew() {
		p.Findings = []string{fmt.Sprintf("Of the prompt tokens, %s repeat. More than that these few do not show.", figure.Percent(a.Bounds.Infinite))}
		return p
	}
	if a.Requests < filled*a.Replicas {
		p.Findings = append(p.Findings, fmt.Sprintf("With %d requests for %d replicas the caches are being filled for much of the time: before you rely on this, take a log of %d or more.", a.Requests, a.Replicas, filled*a.Replicas))
	}
	p.Findings = append(p.Findings, "What limits it: "+a.Limit.By+". "+upper(a.Limit.Why)+".")
	p.Findings = append(p.Findings, a.Limit.Further...)
	if a.Today != nil {
		p.Findings = append(p.Findings, fmt.Sprintf("Today the replicas found %s of the prompt tokens, as recorded.", figure.Percent(*a.Today)))
	}
	if t := a.Affinity; t != nil {
		if t.OverOurs.Low > verdict.NoGain {
			p.Findings = append(p.Findings, fmt.Sprintf("Set cache_aware.affinity to %s: TTFT is %s shorter than with the default.", figure.Plain(t.Affinity), t.OverOurs))
		} else {
			p.Findings = append(p.Findings, fmt.Sprintf("There is nothing to tune: of the affinities tried, the best, %s, differs from the default by %s.", figure.Plain(t.Affinity), t.OverOurs))
		}
	}
	p.Sections = []report.Section{{Table: a.table()}}
	return p
}

func (a *Advice) table() report.Table {
	load, ours := a.Means[0], a.Means[1]
	fleetText := func(n int) string {
		if n == 0 {
			return fmt.Sprintf("more than %d", a.Fleet.Most)
		}
		return fmt.Sprint(n)
	}
	t := report.Table{
		Title:   fmt.Sprintf("%d requests on %d simulated replicas (%s, %v, %d KV tokens each), means of %d arrangements of the trace", a.Requests, a.Replicas, a.profile.Name, &a.profile, a.profile.KVTokens(), a.Seeds),
		Columns: []string{"", a.ByLoad, contender.Default, "gain", "95 % interval"},
		Rows: [][]string{
			row("TTFT, mean", figure.Millis(load.TTFT), figure.Millis(ours.TTFT), a.Gain),
			row("TTFT, P95", figure.Millis(load.P95), figure.Millis(ours.P95), a.GainP95),
			row("whole answer, mean", figure.Millis(load.Whole), figure.Millis(ours.Whole), a.GainWhole),
			row("prompt tokens computed", figure.Percent(1-load.Hit), figure.Percent(1-ours.Hit), a.Saved),
			{"prompt tokens found", figure.Percent(load.Hit), figure.Percent(ours.Hit), "of " + figure.Percent(a.Bounds.Infinite) + " that repeat,", figure.Percent(a.Bounds.Pooled) + " with this memory"},
		},
	}
	if a.Fleet.Most == 0 {
		return t // interrupted before
	}
	t.Rows = append(t.Rows, []string{"replicas for today's times", fmt.Sprint(a.Replicas), fmt.Sprint(a.Fleet.Same), "", ""},
		[]string{"replicas for " + contender.Default + "'s times", fleetText(a.Fleet.ByLoad), fmt.Sprint(a.Replicas), "", ""})
	if len(a.Goals) > 0 {
		t.Rows = append(t.Rows, []string{"replicas, " + goalText(a.Goals), fleetText(a.Fleet.GoalBy), fleetText(a.Fleet.Goal), "", ""})
	}
	return t
}

func row(name, load, ours string, i verdict.Interval) []string {
	return []string{name, load, ours, figure.Percent(i.Mean), figure.Percent(i.Low) + " to " + figure.Percent(i.High)}
}

// Page is all of it, with the other policies and every form of the configuration.
func (a *Advice) Page(what string) (*report.Page, error) {
	p := a.Screen()
	p.Foot = what
	if a.tooFew() {
		return p, nil
	}
	c := replaypage.Comparison{Title: "Policies compared", Runs: a.runs, Bounds: &a.Bounds}
	table := c.Tables()[0]
	table.Note = "One arrangement of the trace: the log's own."
	p.Sections = append(p.Sections, report.Section{Table: table})
	for _, part := range []func() (report.Section, error){c.Waits, c.Hits} {
		s, err := part()
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, s)
	}
	if a.Affinity != nil {
		p.Sections = append(p.Sections, a.Affinity.section())
	}
	if settings, ok := a.Settings(); ok {
		p.Sections = append(p.Sections, report.Section{Table: report.Table{Title: "Configuration", Note: "To paste; addresses and names are placeholders."}, Texts: []report.Text{
			{Title: "The module's JSON", Text: settings.JSON()}, {Title: "Istio: WasmPlugin", Text: settings.WasmPlugin()}, {Title: "Envoy: HTTP filter", Text: settings.Envoy()},
		}})
	}
	return p, nil
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
