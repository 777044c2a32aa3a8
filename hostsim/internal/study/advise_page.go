package study

import (
	"fmt"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replaypage"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/setup"
	"warmroute/hostsim/internal/verdict"
)

// fewest requests of a trace are judged: below, even a certain gain says little about tomorrow's. With fewer than filled
// for each replica the caches are being filled for much of the trace. Of Mooncake's conversations the first 25, 50 and 200
// requests on eight replicas show gains of 0.4, 8 and 11 %, all of them 26 %.
const (
	fewest = 100
	filled = 100
)

// tooFew says whether nothing follows from the trace.
func (a *Advice) tooFew() bool { return a.Requests < fewest }

// judge says in a sentence or two what the trace says.
func (a *Advice) judge() {
	a.Helps = a.Gain.Low > verdict.NoGain
	a.Policy = contender.Default
	gain := fmt.Sprintf("against %s, the best policy by load, the mean time to the first token is %s shorter", a.ByLoad, a.Gain)
	switch {
	case a.tooFew():
		a.Helps = false
		a.Verdict = fmt.Sprintf("Too few requests to tell: %d. From %d on there is a first answer; one to rely on takes about %d, %d for each replica, or an hour of traffic.",
			a.Requests, fewest, filled*a.Replicas, filled)
	case a.Helps:
		a.Verdict = fmt.Sprintf("This will help you: %s, %s instead of %s.", gain, figure.Millis(a.Means[1].TTFT), figure.Millis(a.Means[0].TTFT))
		switch f := a.Fleet; {
		case f.Most == 0: // interrupted before
		case f.Same < a.Replicas && f.ByLoad > a.Replicas:
			a.Verdict += fmt.Sprintf(" %d replicas do what %d do today; by load it would take %d to be as quick as %d.", f.Same, a.Replicas, f.ByLoad, a.Replicas)
		case f.Same < a.Replicas:
			a.Verdict += fmt.Sprintf(" %d replicas do what %d do today.", f.Same, a.Replicas)
		case f.ByLoad > a.Replicas:
			a.Verdict += fmt.Sprintf(" By load it would take %d replicas to be as quick as %d.", f.ByLoad, a.Replicas)
		case f.ByLoad == 0:
			a.Verdict += fmt.Sprintf(" By load, %d replicas are not as quick as %d with it.", f.Most, a.Replicas)
		}
	case a.Gain.High < verdict.NoGain, a.Bounds.Infinite < few:
		a.Verdict = fmt.Sprintf("This will not help you: against %s, the best policy by load, the gain in mean time to the first token is %s. Envoy's own LEAST_REQUEST is enough.", a.ByLoad, a.Gain)
		a.Policy = ""
	default:
		a.Verdict = fmt.Sprintf("This trace does not show whether it will help you: the gain over %s, the best policy by load, is %s, and below %s it counts as none. More of the log, or more --seeds, narrows the interval.", a.ByLoad, a.Gain, figure.Percent(verdict.NoGain))
	}
}

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
		p.Sections = append(p.Sections, a.Affinity.Page("").Sections...)
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
