package main

import "warmroute/hostsim/internal/study"

// tuneCmd says whether routing by prefix helps with a trace, and which affinity of cache_aware is best.
type tuneCmd struct {
	studied
	output
	Search int `help:"Number of seeds on which the affinity is searched." default:"1"`
	Seeds  int `help:"Number of further seeds on which it is judged; each moves the start of every session by up to 20 s." default:"5"`
}

// Run prints the verdict and the affinity.
func (c *tuneCmd) Run(s *streams) error {
	sweep, what, err := c.sweep(s)
	if err != nil {
		return err
	}
	tuning, err := study.Tune(sweep, c.Search, c.Seeds)
	if err != nil {
		return err
	}
	clearLine(s)
	return c.write(s, tuning.Page(what), tuning)
}
