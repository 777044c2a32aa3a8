package studies

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/cases"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/league"
)

// caseFlags say which of the league's cases are played.
type caseFlags struct {
	Traces   string   `help:"Folder of the published traces; without it the loads of our own alone." env:"WARMROUTE_TRACES" placeholder:"FOLDER"`
	Case     []string `help:"Cases to play, by name, or by the beginning of one and '*'; all by default." placeholder:"NAMES"`
	Drawn    int      `help:"Play so many cases that are drawn at random instead, from a wide space of loads and fleets." placeholder:"N"`
	Changing bool     `help:"With --drawn: replicas join and leave while requests come."`
	HostKV   bool     `name:"host-kv" help:"With --drawn: replicas keep KV in host memory, too, and half of the cases do not tell cached tokens."`
	HangUps  bool     `name:"hang-ups" help:"With --drawn: many clients do not wait for the end of their answers."`
	Hybrid   bool     `help:"With --drawn: servers of hybrid models, which find prompts again in large blocks, half of them only where a step ended."`
	Reasons  bool     `name:"reasoning" help:"With --drawn: models that reason, with answers of 300 to 10,000 tokens; in half of the cases the next prompt has them."`
	Messages bool     `help:"With --drawn: chats as clients send them, whose next prompt repeats the answers; questions of 8 tokens and more."`
	OddCards bool     `name:"odd-cards" help:"With --drawn: cards and servers that nobody has; each time of a profile, its memory and its limits are drawn, too."`
	Unlike   bool     `name:"unlike-cards" help:"With --drawn, and with --odd-cards: each pool has two kinds of cards for one model, each with its own memory."`
	DrawSeed uint64   `help:"Other cases for each seed." default:"1"`
	List     bool     `help:"List the cases and stop."`
}

// cases are those asked for that can be played; they are printed, if that is asked for.
func (c *caseFlags) cases(s *console.Streams) ([]cases.Case, error) {
	var out []cases.Case
	all := cases.All
	if c.Drawn > 0 {
		all = cases.Drawn(c.Drawn, c.DrawSeed)
		switch {
		case c.kinds() > 1:
			return nil, fmt.Errorf("of --changing, --host-kv, --hang-ups, --hybrid, --messages, --reasoning, --odd-cards and --unlike-cards only the last two can be drawn together")
		case c.Changing:
			all = cases.DrawnChanging(c.Drawn, c.DrawSeed)
		case c.Unlike:
			all = cases.DrawnUnlike(c.Drawn, c.DrawSeed, c.OddCards)
		case c.OddCards:
			all = cases.DrawnOdd(c.Drawn, c.DrawSeed)
		case c.Hybrid:
			all = cases.DrawnHybrid(c.Drawn, c.DrawSeed)
		case c.Reasons:
			all = cases.DrawnReasoning(c.Drawn, c.DrawSeed)
		case c.Messages:
			all = cases.DrawnMessages(c.Drawn, c.DrawSeed)
		case c.HangUps:
			all = cases.DrawnHangUps(c.Drawn, c.DrawSeed)
		case c.HostKV:
			all = cases.DrawnTiered(c.Drawn, c.DrawSeed)
		}
	}
	for _, name := range c.Case {
		if !slices.ContainsFunc(all, func(at cases.Case) bool { return names(name, at.ID) }) {
			return nil, fmt.Errorf("--case: no case is called %s; --list lists them", name)
		}
	}
	for _, at := range all {
		wanted := len(c.Case) == 0 || slices.ContainsFunc(c.Case, func(name string) bool { return names(name, at.ID) })
		if wanted && (c.Traces != "" || !at.Published || c.List) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the cases %s need the published traces: --traces", strings.Join(c.Case, ", "))
	}
	if c.List {
		for _, at := range out {
			fmt.Fprintf(s.Stdout, "%-20s %s\n", at.ID, at.What)
		}
	}
	return out, nil
}

// kinds is how many kinds of drawn cases are asked for that are not drawn together.
func (c *caseFlags) kinds() (n int) {
	for _, asked := range []bool{c.Changing, c.HostKV, c.HangUps, c.Hybrid, c.Messages, c.Reasons, c.OddCards || c.Unlike} {
		if asked {
			n++
		}
	}
	return n
}

// names says whether a name, or the beginning of one and '*', is that of a case.
func names(name, id string) bool {
	start, open := strings.CutSuffix(name, "*")
	return id == name || open && strings.HasPrefix(id, start)
}

// runFlags say how cases are run, and what is shown meanwhile.
type runFlags struct {
	Plugin string `help:"File with further members of the module's configuration, JSON." placeholder:"FILE"`
	Rows   bool   `help:"Print each run as it ends."`
}

// set makes them l's. Errors: the file.
func (c *runFlags) set(s *console.Streams, l *league.League) error {
	l.Progress = leagueProgress(s, c.Rows)
	if c.Plugin == "" {
		return nil
	}
	return s.ReadJSON(c.Plugin, &l.Plugin)
}

// shown takes what running l returned, of so many cases. After nil the rows are to be shown: of all cases, or where it was stopped, which
// it says, of those that are done.
func shown(s *console.Streams, l *league.League, rows []league.Row, asked int, err error) error {
	if err != nil && !s.Stopped(err, len(l.Cases)*min(len(rows), 1), asked, "cases") {
		return err
	}
	s.ClearLine()
	return nil
}

// leagueProgress shows how far a league is, or each row as it ends.
func leagueProgress(s *console.Streams, rows bool) func(int, int, league.Row) {
	return func(done, total int, r league.Row) {
		if !rows {
			s.At(done, total, r.Case+", "+r.Policy)
			return
		}
		who := r.Policy
		if r.Gateways > 0 {
			who = fmt.Sprintf("%s, %d gateways", who, r.Gateways)
		}
		fmt.Fprintf(s.Stderr, "%-18s %-24s seed %d  TTFT %8.1f ms  %7.2f/s  hit %.3f  imbalance %.2f  %5.1f s\n", r.Case, who, r.Seed, r.TTFT, r.Throughput, r.Hit, r.Imbalance, r.Wall)
	}
}

// knownRows reads the rows of an earlier run of a study, and the commit of the hostsim that made them. Errors: the file; another study's;
// other settings, with both; rows of a version that noted less.
func knownRows(s *console.Streams, file, of, settings string) (rows []league.Row, version string, err error) {
	var earlier struct {
		console.Made
		league.Results
	}
	switch err := s.ReadJSON(file, &earlier); {
	case err != nil:
		return nil, "", fmt.Errorf("--known: %w", err)
	case !strings.HasPrefix(earlier.Schema, "warmroute study "+of+" "):
		return nil, "", fmt.Errorf("--known %s is %q, not results of study %s", file, earlier.Schema, of)
	case earlier.Settings != settings:
		return nil, "", fmt.Errorf("--known %s was played with other settings: %s; these are %s", file, earlier.Settings, settings)
	case slices.ContainsFunc(earlier.Rows, func(row league.Row) bool { return row.Latency == 0 }):
		return nil, "", fmt.Errorf("--known %s has rows without latency_mean_ms: an earlier version played them, play them again", file)
	}
	return earlier.Rows, earlier.Version.Commit, nil
}
