package main

import "warmroute/hostsim/internal/study"

// studyKubeAICmd repeats KubeAI's benchmarks.
type studyKubeAICmd struct {
	output
	Seeds int `help:"Number of random loads; the means are shown." default:"3" least:"1"`
}

// Run prints a table for each scenario.
func (c *studyKubeAICmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	rows, err := study.KubeAI(s.ctx, c.Seeds, s.at)
	if err != nil && !s.stopped(err, len(rows), study.KubeAIRows(), "rows") {
		return err
	}
	clearLine(s)
	page := study.KubeAIPage(rows)
	return c.write(s, page, map[string]any{"rows": rows})
}
