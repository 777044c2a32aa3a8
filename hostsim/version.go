package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// versionCmd says what this program is built from, and the module beside it.
type versionCmd struct {
	Wasm string `help:"The module's file." default:"build/warmroute.wasm"`
	JSON bool   `help:"Print JSON."`
}

// versions is what files of results and --json say of what made them.
type versions struct {
	Version string `json:"version"` // of a release, or the commit
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	Module  string `json:"module_sha256,omitempty"` // "" where there is no such file
}

// release is the version of a release, and releaseCommit what it is made from; ./build.sh release sets them.
var release, releaseCommit = "", ""

func newVersions(wasm string) versions {
	v := versions{Version: release, Commit: cmp.Or(releaseCommit, commit()), Go: runtime.Version()}
	if v.Version == "" {
		v.Version = v.Commit
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" && v.Commit == "unknown" {
			v.Version = info.Main.Version
		}
	}
	if text, err := os.ReadFile(wasm); err == nil {
		v.Module = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return v
}

// Run prints the versions.
func (c *versionCmd) Run(s *streams) error {
	v := newVersions(c.Wasm)
	if v.Module == "" && slices.ContainsFunc(s.args, func(arg string) bool { return strings.HasPrefix(arg, "--wasm") }) {
		_, err := os.ReadFile(c.Wasm)
		return err // it names the file
	}
	if c.JSON {
		return writeJSON(s, "-", v)
	}
	fmt.Fprintf(s.stdout, "hostsim %s, commit %s, %s\n", v.Version, v.Commit, v.Go)
	if v.Module != "" {
		fmt.Fprintf(s.stdout, "%s sha256 %s\n", c.Wasm, v.Module)
	}
	return nil
}

// commit is what this program was built from; "+" at its end: with changes.
func commit() string {
	info, _ := debug.ReadBuildInfo()
	revision, changed := "unknown", ""
	if info != nil {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
			}
		}
	}
	return revision + changed
}
