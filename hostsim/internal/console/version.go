package console

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// Versions is what files of results and --json say of what made them.
type Versions struct {
	Version string `json:"version"` // of a release, or the commit
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	Module  string `json:"module_sha256,omitempty"` // "" where there is no such file
}

// release is the version of a release, and releaseCommit what it is made from; ./build.sh release sets them.
var release, releaseCommit = "", ""

// NewVersions are those of this program, and of the module in a file; "" or no such file: none.
func NewVersions(wasm string) Versions {
	v := Versions{Version: release, Commit: cmp.Or(releaseCommit, Commit()), Go: runtime.Version()}
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

// Commit is what this program was built from; "+" at its end: with changes.
func Commit() string {
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
