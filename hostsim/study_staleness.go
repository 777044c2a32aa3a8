package main

import (
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/study"
)

// studyStalenessCmd lets knowledge grow old.
type studyStalenessCmd struct {
	studied
	console.Output
}

// Run prints what each age costs.
func (c *studyStalenessCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	sweep, what, err := c.sweep(s)
	if err != nil {
		return err
	}
	points, err := study.Staleness(sweep)
	if err != nil && !s.Stopped(err, len(points), sweep.Total, "replays") {
		return err
	}
	page, err := study.StalenessPage(points, what)
	if err != nil {
		return err
	}
	s.ClearLine()
	return c.Write(s, page, map[string]any{"points": points})
}
