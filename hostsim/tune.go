package main

import "warmroute/hostsim/internal/study"

// tuneCmd finds the weights for a trace, and says whether they are worth having.
type tuneCmd struct {
	studied
	output
	Search int `help:"Number of seeds on which weights are searched." default:"1"`
	Seeds  int `help:"Number of further seeds on which they are judged; each moves the start of every session by up to 20 s." default:"5"`
}

// Run prints the verdict and the weights.
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
