package studies

import (
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/flags"
	"warmroute/hostsim/internal/study"
)

// tradeoffCmd weighs affinity against load.
type tradeoffCmd struct {
	flags.Studied
	console.Output
	Affinities []float64 `help:"Values of cache_aware.affinity to try." default:"0,0.25,0.5,1,2,4,8"`
	Loads      []float64 `help:"How many times as fast as recorded." default:"0.5,1,1.5,2"`
	Seeds      int       `help:"Number of arrangements of the trace: in each but the first, every session starts up to 20 s earlier or later." default:"3" least:"1"`
}

// Run prints the surface and whether one setting is robust.
func (c *tradeoffCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	sweep, what, err := c.Sweep(s)
	if err != nil {
		return err
	}
	points, err := study.Tradeoff(sweep, c.Affinities, c.Loads, c.Seeds)
	if err != nil && !s.Stopped(err, len(points), len(c.Affinities)*len(c.Loads), "settings") {
		return err
	}
	page, err := study.TradeoffPage(points, what)
	if err != nil {
		return err
	}
	s.ClearLine()
	return c.Write(s, page, map[string]any{"points": points})
}
