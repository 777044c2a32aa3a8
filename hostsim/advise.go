package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/advice"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/flags"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/setup"
)

// adviseCmd says what routing by prefix is worth on a trace, and how to set it up.
type adviseCmd struct {
	flags.Studied
	console.Output
	SLO       []string `name:"slo" help:"What is promised: MEASURE=TIME with the measures ttft, tpot and e2e, each with _mean, _p50, _p95 or _p99. The replicas that it takes are then searched." placeholder:"ttft_p95=500ms"`
	Seeds     int      `help:"Number of arrangements on which the gain is judged; in each, every session starts up to 20 s earlier or later." default:"5"`
	Record    bool     `help:"Print a configuration that records what advise needs, where no log has prompts: hashes and lengths, no text. In the form of --form; needs no trace."`
	Tune      bool     `help:"Try other values of cache_aware.affinity as well."`
	Form      string   `help:"Form of the configuration that is printed: json, wasmplugin or envoy; the page has all." enum:"json,wasmplugin,envoy" default:"json"`
	Endpoints []string `help:"Endpoints for the configuration, ip:port; of the forms json and envoy." placeholder:"ADDRESSES"`
	Service   string   `help:"Kubernetes Service for the configuration, such as vllm.default:8000; of the form wasmplugin." placeholder:"NAME.NAMESPACE:PORT"`
}

// Run prints the advice.
func (c *adviseCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	switch {
	case c.Record && c.Trace != "":
		return errors.New("--record: it is for where there is no trace")
	case c.Record && (c.Tune || len(c.SLO) > 0 || c.Output != console.Output{}):
		return errors.New("--record: it prints a configuration, and takes none of --slo, --tune, --json, --html and --doc")
	case c.Record:
		return c.printRecording(s)
	case c.Trace == "":
		return errors.New("--trace is missing: a trace or a log (docs/traces.md has the shapes), or - for standard input; without a log, --record prints how to get one")
	}
	if c.Seeds < 2 {
		return fmt.Errorf("seeds: %d is below 2, which an interval needs", c.Seeds)
	}
	if err := c.addresses(s); err != nil {
		return err
	}
	goals, err := advice.ParseGoals(c.SLO)
	if err != nil {
		return err
	}
	sweep, what, err := c.Sweep(s)
	if err != nil {
		return err
	}
	tuning := 0
	if c.Tune {
		tuning = advice.TuneReplays(1, c.Seeds)
	}
	given, err := advice.Give(sweep, c.Seeds, tuning, goals)
	if err == nil && c.Tune {
		given.Affinity, err = advice.Tune(sweep, 1, c.Seeds)
	}
	if err != nil && (given == nil || !s.Stopped(err, sweep.Done(), sweep.Total, "replays")) {
		return err
	}
	s.ClearLine()
	if t := sweep.Base.Trace; given.Refused > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Refused by the replicas, and in no time: %d of %d requests. Prompt and answer are longer than a replica's memory of %d KV tokens.", given.Refused, given.Requests, sweep.Base.Profile.KVTokens()))
	}
	return c.print(s, given, input.NewNotes(sweep.Base.Trace, &sweep.Base.Profile), what)
}

// printRecording prints the configuration of a gateway whose log has what a trace needs.
func (c *adviseCmd) printRecording(s *console.Streams) error {
	if err := c.addresses(s); err != nil {
		return err
	}
	text, err := setup.Settings{Endpoints: c.Endpoints, Service: c.Service}.Recording(c.Form)
	if err != nil {
		return err
	}
	if c.Form == "json" {
		fmt.Fprintf(s.Stderr, "The access log's format needs %s. --form wasmplugin and envoy print all of it.\n", setup.RecordField)
	}
	_, err = fmt.Fprint(s.Stdout, text)
	return err
}

func (c *adviseCmd) print(s *console.Streams, given *advice.Advice, in input.Notes, what string) error {
	page, err := given.Page("hostsim advise, " + what)
	if err != nil {
		return err
	}
	page.Sections = slices.Insert(page.Sections, min(1, len(page.Sections)), in.Section()) // after the first table
	written := c.Files(s, page, map[string]any{"advice": given, "input": in})              // before anything is printed, as Output.Write
	screen, out := given.Screen(), s.Tables(c.JSON)
	for _, text := range append([]string{screen.Lead}, screen.Findings...) {
		fmt.Fprintf(out, "%s\n", wrap(text, 110))
	}
	fmt.Fprintln(out)
	for _, section := range screen.Sections {
		if err := section.WriteText(out); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s\n\n", wrap(input.NotesTitle+": "+strings.Join(in.Sentences(), " "), 110))
	if settings, ok := given.Settings(); ok {
		settings.Endpoints, settings.Service = c.Endpoints, c.Service
		text, err := settings.Text(c.Form)
		if err != nil {
			return err
		}
		what := "Configuration"
		if !given.Helps {
			what = "To measure it in production: a configuration that routes by load and counts what " + contender.Default + " would have done"
		}
		fmt.Fprintf(out, "%s (%s; addresses and names are yours to fill in):\n%s", what, c.Form, text)
	}
	return errors.Join(written, s.ErrStopped())
}

// wrap breaks a text into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
