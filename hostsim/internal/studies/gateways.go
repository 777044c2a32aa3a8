package studies

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/flags"
	"warmroute/hostsim/internal/league"
	"warmroute/hostsim/internal/study"
)

// gatewaysCmd holds several gateways against one.
type gatewaysCmd struct {
	console.Output
	caseFlags
	Policy   string        `help:"Policy of all gateways." default:"cache_aware" placeholder:"NAME"`
	Gateways []int         `help:"Numbers of gateways to hold against one." default:"2,4,8,16" placeholder:"NUMBERS"`
	Seeds    int           `help:"Seeds of each case; twice as many where they differ by half." default:"3" least:"1"`
	Scrape   time.Duration `help:"How often gateways read the replicas' metrics." default:"1s"`
	First    uint64        `name:"first-seed" help:"The first seed; from 2 on the sessions of recorded traces are moved, so that requests do not come in bursts of one time stamp." default:"2"`
	Sync     flags.Sync    `embed:"" set:"sync=50ms"`
	runFlags
	Known []string `help:"Results of earlier runs with the same settings, their --json: what they have is not played again." placeholder:"FILES"`
}

// Run prints the table.
func (c *gatewaysCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	cases, err := c.cases(s)
	if err != nil || c.List {
		return err
	}
	g := &study.Gateways{Policy: c.Policy, Counts: c.Gateways, League: league.League{
		Cases: cases, Seeds: c.Seeds, Scrape: c.Scrape, First: c.First, Folder: c.Traces,
	}}
	for _, n := range c.Gateways {
		if n < 2 || n > mostGateways {
			return fmt.Errorf("--gateways %d: 2 to %d", n, mostGateways)
		}
	}
	if g.Shared, err = c.Sync.Options(mostGateways); err != nil {
		return err
	}
	if err := c.set(s, &g.League); err != nil {
		return err
	}
	settings := fmt.Sprintf("scrape %v, policy %s, sync %+v, plugin %v", c.Scrape, c.Policy, c.Sync, g.Plugin)
	var versions []string
	for _, file := range c.Known {
		rows, version, err := knownRows(s, file, "gateways", settings)
		if err != nil {
			return err
		}
		g.Known = append(g.Known, rows...)
		if !slices.Contains(versions, version) {
			versions = append(versions, version)
		}
	}
	foot := ""
	if len(versions) > 0 {
		foot = "; what was known is of hostsim " + strings.Join(versions, " and ")
	}
	asked := len(cases)
	rows, err := g.Run(s.Ctx)
	if err := shown(s, &g.League, rows, asked, err); err != nil {
		return err
	}
	how := fmt.Sprintf("they ask each other every %v, messages take %v", c.Sync.Sync, c.Sync.Delay)
	if c.Sync.Sync == 0 {
		how = "they share nothing"
	}
	page := g.Page(g.Score(rows), fmt.Sprintf("hostsim study gateways --seeds %d --first-seed %d, %s; native engine, metrics read every %v, %s%s", c.Seeds, c.First, c.Policy, c.Scrape, how, foot))
	return c.Write(s, page, league.Results{Settings: settings, Rows: rows})
}

// mostGateways is the most that a replay has.
const mostGateways = 256
