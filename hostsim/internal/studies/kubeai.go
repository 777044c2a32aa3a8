package studies

import (
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/study"
)

// kubeAICmd repeats KubeAI's benchmarks.
type kubeAICmd struct {
	console.Output
	Seeds int `help:"Number of random loads; the means are shown." default:"3" least:"1"`
}

// Run prints a table for each scenario.
func (c *kubeAICmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	rows, err := study.KubeAI(s.Ctx, c.Seeds, s.At)
	if err != nil && !s.Stopped(err, len(rows), study.KubeAIRows(), "rows") {
		return err
	}
	s.ClearLine()
	page := study.KubeAIPage(rows)
	return c.Write(s, page, map[string]any{"rows": rows})
}
