package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/decision"
)

// explainCmd explains decisions that a gateway has logged.
type explainCmd struct {
	Lines []string `arg:"" optional:"" name:"decision" help:"A decision, from the access log or a response header, or a line that has one; none, or -: lines of standard input."`
}

// Run prints each decision's fields with their meanings.
func (c *explainCmd) Run(s *console.Streams) error {
	lines := strings.Join(c.Lines, "\n")
	if lines == "" || lines == "-" {
		text, err := s.ReadFile("-")
		if err != nil {
			return err
		}
		lines = string(text)
	}
	out := bufio.NewWriter(s.Stdout)
	found := decision.Find(lines)
	for i, at := range found {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := decision.Explain(out, at); err != nil {
			return err
		}
	}
	if found == nil {
		return errors.New("there is no decision (policy=…;reason=…) in it. Where the access log has - in its place, warmroute left the request alone: docs/troubleshooting.md#requests-pass-unsteered")
	}
	return out.Flush()
}
