package studies

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/flags"
	"warmroute/hostsim/internal/league"
)

// leagueCmd plays every policy, ours and the peers', on every case.
type leagueCmd struct {
	console.Output
	caseFlags
	Policies []string      `help:"Policies to compare, the first against the others; by default those that win somewhere." placeholder:"NAMES"`
	Seeds    int           `help:"Seeds of each case; twice as many where they differ by half." default:"3" least:"1"`
	Scrape   time.Duration `help:"How often gateways read the replicas' metrics; peers have their own pace." default:"1s"`
	Gateways int           `help:"Number of gateways in every case; 0: the case's own." placeholder:"N"`
	First    uint64        `name:"first-seed" help:"The first seed; from 2 on the sessions of recorded traces are moved, so that requests do not come in bursts of one time stamp." default:"1"`
	Sync     flags.Sync    `embed:"" set:"sync=50ms"`
	Whole    bool          `name:"whole-answers" help:"No client asks for a stream: each answer comes when it is complete."`
	Untold   bool          `help:"Answers do not tell their cached tokens, as vLLM's do not without --enable-prompt-tokens-details."`
	runFlags
	Known string   `help:"Results of an earlier run with the same settings, its --json: what it has is not played again." placeholder:"FILE"`
	Again []string `help:"Policies to play again although --known has them: those that have changed." placeholder:"NAMES"`
}

// Run prints the table.
func (c *leagueCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	cases, err := c.cases(s)
	if err != nil || c.List {
		return err
	}
	l := &league.League{Cases: cases, Policies: c.Policies, Seeds: c.Seeds, Scrape: c.Scrape, Folder: c.Traces}
	l.Gateways, l.First, l.Whole, l.Untold = c.Gateways, c.First, c.Whole, c.Untold
	if l.Sync, err = c.Sync.Options(max(c.Gateways, 1)); err != nil {
		return err
	}
	if len(l.Policies) == 0 {
		l.Policies = league.Policies
	}
	if err := c.set(s, l); err != nil {
		return err
	}
	answers := ""
	if c.Whole {
		answers = ", no answer streamed"
	}
	if c.Untold {
		answers += ", cached tokens not told"
	}
	settings := fmt.Sprintf("scrape %v, gateways %d, sync %+v, plugin %v%s", c.Scrape, c.Gateways, c.Sync, l.Plugin, answers)
	foot, err := c.known(s, l, settings)
	if err != nil {
		return err
	}
	asked := len(cases)
	rows, err := l.Run(s.Ctx)
	if err := shown(s, l, rows, asked, err); err != nil {
		return err
	}
	page := league.NewScore(l, rows).Page(fmt.Sprintf("hostsim study league --seeds %d, native engine, metrics read every %v%s%s", c.Seeds, c.Scrape, answers, foot))
	return c.Write(s, page, league.Results{Settings: settings, Rows: rows})
}

// known reads the rows of an earlier run, and says on the page which they are. Errors: the file; other settings, with both.
func (c *leagueCmd) known(s *console.Streams, l *league.League, settings string) (foot string, err error) {
	if c.Known == "" {
		if len(c.Again) > 0 {
			return "", errors.New("--again goes with --known")
		}
		return "", nil
	}
	for _, policy := range c.Again {
		if !slices.Contains(l.Policies, policy) {
			return "", fmt.Errorf("--again %s: none of the policies %s", policy, strings.Join(l.Policies, ", "))
		}
	}
	rows, version, err := knownRows(s, c.Known, "league", settings)
	if err != nil {
		return "", err
	}
	l.Known = slices.DeleteFunc(rows, func(row league.Row) bool { return slices.Contains(c.Again, row.Policy) })
	foot = fmt.Sprintf("; what was known is of hostsim %s", version)
	if len(c.Again) > 0 {
		foot += ", played again: " + strings.Join(c.Again, ", ")
	}
	return foot, nil
}
