package studies

import (
	"fmt"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/study"
)

// policiesCmd compares policies on the published traces.
type policiesCmd struct {
	console.Output
	Traces   string   `help:"Folder of the traces, named as docs/study.md says: mooncake_conversation.jsonl.gz, mooncake_synthetic.jsonl.gz and claude_code_sessions.delta.jsonl.gz." required:"" env:"WARMROUTE_TRACES" placeholder:"FOLDER"`
	Only     string   `help:"Replay only this trace: conversation, synthetic or coding sessions; followed by its KV tokens, only this capacity." placeholder:"NAME"`
	Policies []string `help:"Policies to compare; all of ours by default." placeholder:"NAMES"`
	Profile  string   `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
}

// Run prints a table for each trace and capacity.
func (c *policiesCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	policies := c.Policies
	if len(policies) == 0 {
		policies = contender.Policies
	}
	rows, err := study.ComparePolicies(s.Ctx, c.Traces, c.Profile, c.Only, policies, s.Step)
	if err != nil && !s.Stopped(err, len(rows), study.PolicyRows(len(policies), c.Only), "rows") {
		return err
	}
	page, err := study.PoliciesPage(rows, fmt.Sprintf("hostsim study policies, native engine, 8 replicas of %s, seed 1", c.Profile))
	if err != nil {
		return err
	}
	s.ClearLine()
	return c.Write(s, page, map[string]any{"rows": rows})
}
