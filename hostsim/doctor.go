package main

import (
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/doctor"
)

// doctorCmd judges a running Envoy.
type doctorCmd struct {
	Admin    string        `help:"Base URL of Envoy's admin interface; in Kubernetes: kubectl port-forward POD 15000 in Istio, 19000 in Envoy Gateway." default:"http://127.0.0.1:9901" placeholder:"URL"`
	Replicas bool          `help:"Ask the replicas too, at the addresses that Envoy has." default:"true" negatable:""`
	Timeout  time.Duration `help:"Time-out of one request." default:"5s"`
	JSON     string        `help:"Write the findings to this file; - is standard output." placeholder:"FILE"`
}

// Run prints what is wrong, and fails if requests do.
func (c *doctorCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON); err != nil {
		return err
	}
	all, err := doctor.Examine(s.Ctx, doctor.Options{Admin: c.Admin, Replicas: c.Replicas, Timeout: c.Timeout, Now: time.Now})
	if err != nil {
		return err
	}
	return printFindings(s, all, c.JSON)
}
