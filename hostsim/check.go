package main

import (
	"bytes"
	"errors"
	"fmt"

	"warmroute/hostsim/internal/checks"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/manifest"
)

// checkCmd judges configurations.
type checkCmd struct {
	Files []string `arg:"" name:"file" help:"Our JSON, a WasmPlugin or another resource, or an Envoy configuration with the module inside, as JSON or YAML; - is standard input. Several files are judged together: listeners with clusters, a WasmPlugin with its EnvoyFilter."`
	JSON  string   `help:"Write the findings to this file; - is standard output." placeholder:"FILE"`
}

// Run prints what is wrong, and fails if requests would.
func (c *checkCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON); err != nil {
		return err
	}
	var all, rest []finding.Finding // rest: what is said last
	joint := &manifest.Setup{}
	for _, name := range c.Files {
		text, err := s.ReadByHand(name)
		var setup *manifest.Setup
		if err == nil {
			setup, err = input.Setup(text)
		}
		switch {
		case setup != nil && err == nil && setup.Whole:
			for _, f := range checks.Judge(setup) {
				f.Where = console.Shown(name) + ": " + f.Where
				all = append(all, f)
			}
			if setup.Alone {
				rest = append(rest, finding.Finding{Level: finding.Fine, Where: console.Shown(name), What: "Envoy itself checks the rest", Cure: "envoy --mode validate -c " + fileArgument(name)})
			}
		case setup != nil:
			joint.Join(setup, console.Shown(name))
		}
		switch {
		case errors.Is(err, input.ErrNoModule) && len(c.Files) > 1:
			what := err.Error()
			if setup != nil && len(setup.Patches)+len(setup.Clusters)+len(setup.Managers)+len(setup.Rules) > 0 {
				what += ": judged with the others"
			}
			all = append(all, finding.Finding{Level: finding.Fine, Where: console.Shown(name), What: what})
		case err != nil:
			f := finding.Finding{Level: finding.Broken, Where: console.Shown(name), What: err.Error()}
			switch {
			case !errors.Is(err, input.ErrNoModule):
			case len(setup.Patches)+len(setup.Clusters) > 0:
				f.Cure = "hostsim check FILE " + console.Shown(name) + "   # FILE has the module; both are judged together"
			case bytes.Contains(text, []byte("dynamic_resources")):
				f.Cure = "hostsim check LISTENERS CLUSTERS   # the files that it names"
			}
			all = append(all, f)
		}
	}
	all = append(append(all, checks.Judge(joint)...), rest...)
	return printFindings(s, all, c.JSON)
}

// fileArgument is how a command names a file that stands for itself.
func fileArgument(name string) string {
	if name == "-" {
		return "FILE"
	}
	return name
}

// printFindings prints findings, the worst first.
func printFindings(s *console.Streams, all []finding.Finding, file string) error {
	finding.Sort(all)
	if file != "-" {
		for _, f := range all {
			fmt.Fprintf(s.Stdout, "%-7s %s: %s\n", f.Level, f.Where, f.What)
			if f.Cure != "" {
				fmt.Fprintf(s.Stdout, "        → %s\n", f.Cure)
			}
		}
	}
	if file != "" {
		if err := s.WriteJSON(file, map[string]any{"findings": all}); err != nil {
			return err
		}
	}
	if finding.Worst(all) == finding.Broken {
		return errors.New("something is broken, as above")
	}
	return nil
}
