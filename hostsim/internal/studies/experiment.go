package studies

import (
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/study"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/vllm"
)

// experimentCmd holds live experiments against whole replays.
type experimentCmd struct {
	console.Output
	Profile string `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
	Seeds   int    `help:"Number of random loads of each kind." default:"10" least:"1"`
}

// Run prints how often each design's interval holds the difference.
func (c *experimentCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	p, err := vllm.LoadProfile(c.Profile)
	if err != nil {
		return err
	}
	runs := &sweep.Sweep{Context: s.Ctx, Progress: s.At, Base: replay.Options{Workers: 2, Gateways: 1, Profile: p, Speed: 1, Engine: contender.Native, Scrape: contender.ScrapeEvery}}
	points, err := study.Experiment(runs, c.Seeds)
	if err != nil && !s.Stopped(err, len(points), study.ExperimentPoints(), "designs") {
		return err
	}
	s.ClearLine()
	return c.Write(s, study.ExperimentPage(points, p), map[string]any{"points": points})
}
