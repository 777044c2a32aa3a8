package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"warmroute/hostsim/internal/console"
)

// versionCmd says what this program is built from, and the module beside it.
type versionCmd struct {
	Wasm string `help:"The module's file." default:"build/warmroute.wasm"`
	JSON bool   `help:"Print JSON."`
}

// Run prints the versions.
func (c *versionCmd) Run(s *console.Streams) error {
	v := console.NewVersions(c.Wasm)
	if v.Module == "" && slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasPrefix(arg, "--wasm") }) {
		_, err := os.ReadFile(c.Wasm)
		return err // it names the file
	}
	if c.JSON {
		return s.WriteJSON("-", v)
	}
	fmt.Fprintf(s.Stdout, "hostsim %s, commit %s, %s\n", v.Version, v.Commit, v.Go)
	if v.Module != "" {
		fmt.Fprintf(s.Stdout, "%s sha256 %s\n", c.Wasm, v.Module)
	}
	return nil
}
