package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pure rooms are shared by the module and the simulator: time, randomness and the world come in as arguments.
var pure = []string{"config", "prompt", "prefix", "ring", "load", "route", "share", "inspect"}

// barred are the packages that no pure room imports.
var barred = []string{"os", "net", "net/http", "time", "sync", "sync/atomic", "math/rand", "math/rand/v2", "encoding/json"}

const (
	sdk    = "github.com/tetratelabs/proxy-wasm-go-sdk"
	wazero = "github.com/tetratelabs/wazero"
)

// later lists, for each pure room, the rooms it may use: data flows prompt → prefix → route ← load, with inspect in front.
var later = map[string][]string{
	"config":  {"ring"},
	"prompt":  {},
	"prefix":  {},
	"ring":    {},
	"load":    {},
	"route":   {"config", "prompt", "prefix", "ring", "load"},
	"share":   {"load", "route"},
	"inspect": {"config", "load", "prompt", "route", "share"},
}

// TestRooms holds the import rule of the project against what `go list` says.
func TestRooms(t *testing.T) {
	for _, p := range listPackages(t) {
		room := strings.TrimPrefix(p.ImportPath, "warmroute/")
		for _, imported := range p.Imports {
			if why := forbidden(room, imported); why != "" {
				t.Errorf("%s imports %s: %s", room, imported, why)
			}
		}
	}
}

func forbidden(room, imported string) string {
	isSDK := strings.HasPrefix(imported, sdk)
	isWazero := strings.HasPrefix(imported, wazero)
	core, inPlugin := strings.CutPrefix(room, "plugin/")
	switch {
	case inPlugin && slices.Contains(pure, core):
		if isSDK || isWazero || slices.Contains(barred, imported) {
			return "a pure room takes its world as arguments"
		}
		if other, ok := strings.CutPrefix(imported, "warmroute/"); ok {
			if !slices.Contains(later[core], strings.TrimPrefix(other, "plugin/")) {
				return "data flows one way"
			}
		}
	case isSDK && room != "plugin":
		return "only the module's shell calls the proxy"
	case isWazero && room != "hostsim/internal/host":
		return "only the host runs modules"
	case room == "hostsim/internal/host":
		if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !isWazero || first == "warmroute" {
			return "an independent host uses wazero and the standard library"
		}
	}
	return ""
}

type listed struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "warmroute/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < len(pure) {
		t.Fatalf("go list named %d packages; want at least the %d pure rooms", len(packages), len(pure))
	}
	return packages
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		room, imported string
		want           bool
	}{
		{"plugin/route", "time", true},
		{"plugin/prompt", "warmroute/plugin/route", true},
		{"plugin/route", "warmroute/plugin/ring", false},
		{"plugin/config", sdk + "/proxywasm", true},
		{"hostsim", sdk + "/proxywasm", true},
		{"plugin", sdk + "/proxywasm", false},
		{"hostsim/internal/host", "github.com/google/go-cmp/cmp", true},
		{"hostsim/internal/host", wazero + "/api", false},
		{"hostsim/internal/fleet", wazero, true},
		{"hostsim", "net/http", false},
	} {
		if got := forbidden(c.room, c.imported) != ""; got != c.want {
			t.Errorf("forbidden(%s, %s) = %v, want %v", c.room, c.imported, got, c.want)
		}
	}
}
