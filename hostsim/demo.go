package main

import (
	"fmt"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/demo"
)

// demoCmd compares policies through real Envoys in front of simulated replicas.
type demoCmd struct {
	Envoy    string `help:"Envoy binary; ./build.sh envoy prints the path of one." required:"" type:"existingfile" env:"ENVOY"`
	Wasm     string `help:"The module's file." default:"build/warmroute.wasm" type:"existingfile"`
	Config   string `help:"Envoy configuration to start from." default:"examples/envoy/endpoint.yaml" type:"existingfile"`
	HTML     string `help:"Write the report to this file." default:"build/demo.html"`
	Rounds   int    `help:"Number of rounds in the first part." default:"20" least:"1"`
	Requests int    `help:"Requests per mode in the second part." default:"150" least:"1"`
	Profile  string `help:"Cost profile of the simulated replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
}

// Run prints the tables and writes the page.
func (c *demoCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.HTML); err != nil {
		return err
	}
	page, err := demo.Run(s.Ctx, demo.Options{
		Envoy: c.Envoy, Wasm: c.Wasm, Config: c.Config, Rounds: c.Rounds, Requests: c.Requests, Profile: c.Profile, Tables: s.Stdout, Notices: s.Stderr,
	})
	if err != nil {
		return err
	}
	if err := s.WritePage(page, c.HTML); err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout, "report:", c.HTML)
	return nil
}
