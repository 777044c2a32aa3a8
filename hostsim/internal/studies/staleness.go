package studies

import (
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/flags"
	"warmroute/hostsim/internal/study"
)

// stalenessCmd lets knowledge grow old.
type stalenessCmd struct {
	flags.Studied
	console.Output
}

// Run prints what each age costs.
func (c *stalenessCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	sweep, what, err := c.Sweep(s)
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
