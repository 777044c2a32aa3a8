package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/study"
)

// studyLeagueCmd plays every policy, ours and the peers', on every case.
type studyLeagueCmd struct {
	output
	Traces   string        `help:"Folder of the published traces; without it the loads of our own alone." env:"WARMROUTE_TRACES" placeholder:"FOLDER"`
	Case     []string      `help:"Cases to play, by name, or by the beginning of one and '*'; all by default." placeholder:"NAMES"`
	Drawn    int           `help:"Play so many cases that are drawn at random instead, from a wide space of loads and fleets." placeholder:"N"`
	DrawSeed uint64        `help:"Other cases for each seed." default:"1"`
	List     bool          `help:"List the cases and stop."`
	Policies []string      `help:"Policies to compare, the first against the others; by default those that win somewhere." placeholder:"NAMES"`
	Seeds    int           `help:"Seeds of each case; twice as many near overload." default:"3" least:"1"`
	Scrape   time.Duration `help:"How often gateways read the replicas' metrics; peers have their own pace." default:"1s"`
	Gateways int           `help:"Number of gateways in every case; 0: the case's own." placeholder:"N"`
	First    uint64        `name:"first-seed" help:"The first seed; from 2 on the sessions of recorded traces are moved, so that requests do not come in bursts of one time stamp." default:"1"`
	Sync     syncFlags     `embed:""`
	Plugin   string        `help:"File with further members of the module's configuration, JSON." placeholder:"FILE"`
	Rows     bool          `help:"Print each run as it ends."`
	Known    string        `help:"Results of an earlier run with the same settings, its --json: what it has is not played again." placeholder:"FILE"`
	Again    []string      `help:"Policies to play again although --known has them: those that have changed." placeholder:"NAMES"`
}

// leagueResults is what --json writes, and --known reads.
type leagueResults struct {
	Settings string            `json:"settings"` // that all rows have in common
	Rows     []study.LeagueRow `json:"rows"`
}

// Run prints the table.
func (c *studyLeagueCmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	cases, err := c.cases()
	if err != nil {
		return err
	}
	if c.List {
		for _, at := range cases {
			fmt.Fprintf(s.stdout, "%-20s %s\n", at.ID, at.What)
		}
		return nil
	}
	league := &study.League{Cases: cases, Policies: c.Policies, Seeds: c.Seeds, Scrape: c.Scrape, Folder: c.Traces, Progress: c.progress(s)}
	league.Gateways, league.First = c.Gateways, c.First
	if league.Sync, err = c.Sync.options(max(c.Gateways, 1)); err != nil {
		return err
	}
	if len(league.Policies) == 0 {
		league.Policies = study.LeaguePolicies
	}
	if c.Plugin != "" {
		if err := s.readJSON(c.Plugin, &league.Plugin); err != nil {
			return err
		}
	}
	settings := fmt.Sprintf("scrape %v, gateways %d, sync %+v, plugin %v", c.Scrape, c.Gateways, c.Sync, league.Plugin)
	foot, err := c.known(s, league, settings)
	if err != nil {
		return err
	}
	asked := len(cases)
	rows, err := league.Run(s.ctx)
	if err != nil && !s.stopped(err, len(league.Cases)*min(len(rows), 1), asked, "cases") {
		return err
	}
	clearLine(s)
	page := study.ScoreLeague(league, rows).Page(fmt.Sprintf("hostsim study league --seeds %d, native engine, metrics read every %v%s", c.Seeds, c.Scrape, foot))
	return c.write(s, page, leagueResults{settings, rows})
}

// known reads the rows of an earlier run, and says on the page which they are. Errors: the file; other settings, with both.
func (c *studyLeagueCmd) known(s *streams, league *study.League, settings string) (foot string, err error) {
	if c.Known == "" {
		if len(c.Again) > 0 {
			return "", errors.New("--again goes with --known")
		}
		return "", nil
	}
	for _, policy := range c.Again {
		if !slices.Contains(league.Policies, policy) {
			return "", fmt.Errorf("--again %s: none of the policies %s", policy, strings.Join(league.Policies, ", "))
		}
	}
	var earlier struct {
		made
		leagueResults
	}
	switch err := s.readJSON(c.Known, &earlier); {
	case err != nil:
		return "", fmt.Errorf("--known: %w", err)
	case !strings.HasPrefix(earlier.Schema, "warmroute study league "):
		return "", fmt.Errorf("--known %s is %q, not results of study league", c.Known, earlier.Schema)
	case earlier.Settings != settings:
		return "", fmt.Errorf("--known %s was played with other settings: %s; these are %s", c.Known, earlier.Settings, settings)
	}
	league.Known = slices.DeleteFunc(earlier.Rows, func(row study.LeagueRow) bool { return slices.Contains(c.Again, row.Policy) })
	foot = fmt.Sprintf("; what was known is of hostsim %s", earlier.Version.Commit)
	if len(c.Again) > 0 {
		foot += ", played again: " + strings.Join(c.Again, ", ")
	}
	return foot, nil
}

// cases are those asked for that can be played.
func (c *studyLeagueCmd) cases() ([]study.LeagueCase, error) {
	var out []study.LeagueCase
	all := study.LeagueCases
	if c.Drawn > 0 {
		all = study.DrawnCases(c.Drawn, c.DrawSeed)
	}
	for _, name := range c.Case {
		start, open := strings.CutSuffix(name, "*")
		if !slices.ContainsFunc(all, func(at study.LeagueCase) bool { return at.ID == name || open && strings.HasPrefix(at.ID, start) }) {
			return nil, fmt.Errorf("--case: no case is called %s; --list lists them", name)
		}
	}
	for _, at := range all {
		wanted := len(c.Case) == 0 || slices.ContainsFunc(c.Case, func(name string) bool {
			start, open := strings.CutSuffix(name, "*")
			return at.ID == name || open && strings.HasPrefix(at.ID, start)
		})
		if wanted && (c.Traces != "" || !at.Published() || c.List) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the cases %s need the published traces: --traces", strings.Join(c.Case, ", "))
	}
	return out, nil
}

func (c *studyLeagueCmd) progress(s *streams) func(int, int, study.LeagueRow) {
	return func(done, total int, r study.LeagueRow) {
		if c.Rows {
			fmt.Fprintf(s.stderr, "%-18s %-24s seed %d  TTFT %8.1f ms  %7.2f/s  hit %.3f  imbalance %.2f  %5.1f s\n", r.Case, r.Policy, r.Seed, r.TTFT, r.Throughput, r.Hit, r.Imbalance, r.Wall)
			return
		}
		s.at(done, total, r.Case+", "+r.Policy)
	}
}
