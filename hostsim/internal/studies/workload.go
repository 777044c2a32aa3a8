package studies

import (
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/study"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/vllm"
)

// workloadCmd asks which workloads gain.
type workloadCmd struct {
	console.Output
	Replicas int    `help:"Number of replicas, where that is not varied." default:"8" least:"1"`
	Profile  string `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
	Seeds    int    `help:"Number of random loads for each point." default:"3" least:"1"`
}

// Run prints the gain along each factor.
func (c *workloadCmd) Run(s *console.Streams) error {
	if err := c.Try(); err != nil {
		return err
	}
	p, err := vllm.LoadProfile(c.Profile)
	if err != nil {
		return err
	}
	runs := &sweep.Sweep{Context: s.Ctx, Progress: s.At, Base: replay.Options{
		Replicas: c.Replicas, Workers: 2, Gateways: 1, Profile: p, Speed: 1, Engine: contender.Native, Scrape: contender.ScrapeEvery,
	}}
	points, err := study.Workload(runs, c.Seeds)
	if err != nil && !s.Stopped(err, len(points), study.WorkloadPoints(), "workloads") {
		return err
	}
	page, err := study.WorkloadPage(points, p, c.Replicas)
	if err != nil {
		return err
	}
	s.ClearLine()
	return c.Write(s, page, map[string]any{"points": points})
}
