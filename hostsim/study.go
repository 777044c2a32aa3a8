package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/study"
)

// studyCmd is the questions that are asked of many replays.
type studyCmd struct {
	Experiment studyExperimentCmd `cmd:"" help:"How often a live experiment's interval holds what whole replays differ by, by session and by time."`
	Gateways   studyGatewaysCmd   `cmd:"" help:"Several gateways that share news, held against one, on every case."`
	KubeAI     studyKubeAICmd     `cmd:"" name:"kubeai" help:"KubeAI's published benchmarks, on simulated replicas."`
	League     studyLeagueCmd     `cmd:"" help:"Every policy, ours and the peers', on every case."`
	Policies   studyPoliciesCmd   `cmd:"" help:"All policies on the published traces, at two capacities and three loads."`
	Staleness  studyStalenessCmd  `cmd:"" help:"What it costs to refresh the knowledge of caches and the metrics less often."`
	Tradeoff   studyTradeoffCmd   `cmd:"" help:"Affinity against queueing: which cache_aware.affinity is best at which load."`
	Workload   studyWorkloadCmd   `cmd:"" help:"Which workloads gain from prefix routing, and which do not."`
}

// AfterApply makes all studies collect garbage a quarter as often, unless the environment says how often: a replay holds some 30 MB
// and makes prompts of 400 KB, and took a third of its time for collecting them.
func (*studyCmd) AfterApply() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	return nil
}

// output is where a study writes.
type output struct {
	JSON string `help:"Write the results to this file; - is standard output." placeholder:"FILE"`
	HTML string `help:"Write a page with plots to this file." placeholder:"FILE"`
	Doc  string `help:"Write the findings and tables into this Markdown file, between its lines <!-- NAME --> and <!-- /NAME -->." placeholder:"FILE:NAME"`
}

// write prints a page's findings and tables, and writes page and data where asked for.
func (o *output) write(s *streams, page *report.Page, data any) error {
	out := s.tables(o.JSON)
	for _, text := range append([]string{page.Lead}, page.Findings...) {
		if text != "" {
			fmt.Fprintf(out, "%s\n\n", text)
		}
	}
	for i := range page.Sections {
		if len(page.Sections[i].Columns) > 0 {
			if err := page.Sections[i].WriteText(out); err != nil {
				return err
			}
		}
	}
	return errors.Join(o.files(s, page, data), s.errStopped())
}

// files writes what a study is asked to write. A document keeps its tables where the study was stopped: those of what was done would
// stand there as if they were all.
func (o *output) files(s *streams, page *report.Page, data any) error {
	if o.JSON != "" {
		if err := writeJSON(s, o.JSON, data); err != nil {
			return err
		}
	}
	if o.Doc != "" && s.errStopped() == nil {
		file, name, _ := strings.Cut(o.Doc, ":")
		if err := report.Insert(file, name, page.Markdown()); err != nil {
			return err
		}
	}
	if o.HTML != "" {
		return writePage(s, page, o.HTML)
	}
	return nil
}

// try finds out whether the outputs can be written.
func (o *output) try() error {
	if err := writable(o.JSON, o.HTML); err != nil || o.Doc == "" {
		return err
	}
	file, name, _ := strings.Cut(o.Doc, ":")
	return report.Find(file, name)
}

// studyKubeAICmd repeats KubeAI's benchmarks.
type studyKubeAICmd struct {
	output
	Seeds int `help:"Number of random loads; the means are shown." default:"3" least:"1"`
}

// Run prints a table for each scenario.
func (c *studyKubeAICmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	rows, err := study.KubeAI(s.ctx, c.Seeds, s.at)
	if err != nil && !s.stopped(err, len(rows), study.KubeAIRows(), "rows") {
		return err
	}
	clearLine(s)
	page := study.KubeAIPage(rows)
	return c.write(s, page, map[string]any{"rows": rows})
}
