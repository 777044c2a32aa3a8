package main

import "warmroute/hostsim/internal/study"

// studyStalenessCmd lets knowledge grow old.
type studyStalenessCmd struct {
	studied
	output
}

// Run prints what each age costs.
func (c *studyStalenessCmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	sweep, what, err := c.sweep(s)
	if err != nil {
		return err
	}
	points, err := study.Staleness(sweep)
	if err != nil && !s.stopped(err, len(points), sweep.Total, "replays") {
		return err
	}
	page, err := study.StalenessPage(points, what)
	if err != nil {
		return err
	}
	clearLine(s)
	return c.write(s, page, map[string]any{"points": points})
}
