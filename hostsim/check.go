package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/doctor"
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
	var all, rest []doctor.Finding // rest: what is said last
	joint := &doctor.Setup{}
	for _, name := range c.Files {
		text, err := s.ReadByHand(name)
		var setup *doctor.Setup
		if err == nil {
			setup, err = setupOf(text)
		}
		switch {
		case setup != nil && err == nil && setup.Whole():
			for _, f := range setup.Check() {
				f.Where = console.Shown(name) + ": " + f.Where
				all = append(all, f)
			}
			if setup.Alone {
				rest = append(rest, doctor.Finding{Level: doctor.Fine, Where: console.Shown(name), What: "Envoy itself checks the rest", Cure: "envoy --mode validate -c " + fileArgument(name)})
			}
		case setup != nil:
			joint.Join(setup, console.Shown(name))
		}
		switch {
		case errors.Is(err, errNoModule) && len(c.Files) > 1:
			what := err.Error()
			if setup != nil && len(setup.Patches)+len(setup.Clusters)+len(setup.Managers) > 0 {
				what += ": judged with the others"
			}
			all = append(all, doctor.Finding{Level: doctor.Fine, Where: console.Shown(name), What: what})
		case err != nil:
			f := doctor.Finding{Level: doctor.Broken, Where: console.Shown(name), What: err.Error()}
			switch {
			case !errors.Is(err, errNoModule):
			case len(setup.Patches)+len(setup.Clusters) > 0:
				f.Cure = "hostsim check FILE " + console.Shown(name) + "   # FILE has the module; both are judged together"
			case bytes.Contains(text, []byte("dynamic_resources")):
				f.Cure = "hostsim check LISTENERS CLUSTERS   # the files that it names"
			}
			all = append(all, f)
		}
	}
	all = append(append(all, joint.Check()...), rest...)
	return printFindings(s, all, c.JSON)
}

// fileArgument is how a command names a file that stands for itself.
func fileArgument(name string) string {
	if name == "-" {
		return "FILE"
	}
	return name
}

// setupOf reads the documents of a text. With errNoModule comes what else they have.
func setupOf(text []byte) (*doctor.Setup, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	documents, err := doctor.Documents(text)
	if err != nil {
		if begins := strings.TrimSpace(string(text))[0]; begins == '{' || begins == '/' { // broken JSON: the module's reader names the place
			return &doctor.Setup{Filters: []doctor.Filter{{Where: "configuration", JSON: text}}}, nil
		}
		return nil, err
	}
	setup := doctor.Collect(documents)
	if len(setup.Filters) > 0 {
		return setup, nil
	}
	if setup.Envoy || len(documents) != 1 {
		return setup, errNoModule
	}
	if m, ok := documents[0].(map[string]any); ok && slices.ContainsFunc(envelopes, func(name string) bool { return m[name] != nil }) {
		return setup, errNoModule
	}
	if m, ok := documents[0].(map[string]any); ok && m["config"] != nil && (m["variant"] != nil || m["image"] != nil || m["service"] != nil) {
		return nil, errors.New("it has values for a chart: helm template istio/chart -f FILE | hostsim check -")
	}
	own := text
	if !json.Valid(text) && !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		own, _ = json.Marshal(documents[0]) // YAML of our own; the module's reader names lines of JSON
	}
	setup.Filters = []doctor.Filter{{Where: "configuration", JSON: own}}
	return setup, nil
}

// printFindings prints findings, the worst first.
func printFindings(s *console.Streams, all []doctor.Finding, file string) error {
	doctor.Sort(all)
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
	if doctor.Worst(all) == doctor.Broken {
		return errors.New("something is broken, as above")
	}
	return nil
}
