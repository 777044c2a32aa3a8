package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	sdk    = "github.com/tetratelabs/proxy-wasm-go-sdk"
	wazero = "github.com/tetratelabs/wazero"
)

// builds are those whose files count: the tests' own, and the module's, whose files the first does not see.
var builds = []struct {
	name string
	env  []string
	args []string
}{
	{"native", nil, []string{"-tags", "e2e"}},
	{"the module", []string{"GOOS=wasip1", "GOARCH=wasm"}, []string{"-tags", "tinygo"}},
}

// TestRooms holds the import rule of the project against what `go list` says.
func TestRooms(t *testing.T) {
	for _, build := range builds {
		t.Run(build.name, func(t *testing.T) {
			for _, p := range listPackages(t, build.env, build.args) {
				room := strings.TrimPrefix(p.ImportPath, "warmroute/")
				if why := unknown(room); why != "" {
					t.Errorf("%s: %s", room, why)
				}
				for _, imported := range p.Imports {
					if why := forbidden(room, imported); why != "" {
						t.Errorf("%s imports %s: %s", room, imported, why)
					}
				}
			}
		})
	}
}

// unknown denies by default: what may be imported is said for known rooms only.
func unknown(room string) string {
	if core, inPlugin := strings.CutPrefix(room, "plugin/"); inPlugin {
		if _, known := allowed[core]; !known {
			return "no room of that name is in `allowed`"
		}
	}
	return ""
}

func forbidden(room, imported string) string {
	isSDK := strings.HasPrefix(imported, sdk)
	isWazero := strings.HasPrefix(imported, wazero)
	core, inPlugin := strings.CutPrefix(room, "plugin/")
	for _, s := range stairs {
		if uses, in := s.rooms[strings.TrimPrefix(room, "hostsim/internal/")]; in {
			if slices.Contains(s.without, imported) {
				return s.outside
			}
			if other, ok := strings.CutPrefix(imported, "warmroute/"); ok && !slices.Contains(uses, strings.TrimPrefix(other, "hostsim/internal/")) {
				return s.oneWay
			}
		}
	}
	switch {
	case inPlugin:
		if isWazero || core != calling && (isSDK || slices.Contains(barred, imported)) {
			return "a pure room takes its world as arguments"
		}
		if other, ok := strings.CutPrefix(imported, "warmroute/"); ok {
			if !slices.Contains(allowed[core], strings.TrimPrefix(other, "plugin/")) {
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

func listPackages(t *testing.T, env, args []string) []listed {
	t.Helper()
	list := exec.Command("go", slices.Concat([]string{"list", "-json=ImportPath,Imports"}, args, []string{"warmroute/..."})...)
	list.Env = append(os.Environ(), env...)
	var complaints bytes.Buffer
	list.Stderr = &complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &complaints)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) <= len(allowed) {
		t.Fatalf("go list named %d packages; want more than the %d pure rooms", len(packages), len(allowed))
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
		{"plugin/pool", "warmroute/plugin/ring", false},
		{"plugin/config", sdk + "/proxywasm", true},
		{"hostsim", sdk + "/proxywasm", true},
		{"plugin", sdk + "/proxywasm", false},
		{"plugin/proxy", sdk + "/proxywasm", false},
		{"plugin/proxy", "os", false},
		{"plugin/proxy", "warmroute/plugin/worker", true},
		{"plugin/worker", "warmroute/plugin/proxy", true},
		{"hostsim/internal/host", "github.com/google/go-cmp/cmp", true},
		{"hostsim/internal/host", wazero + "/api", false},
		{"hostsim/internal/fleet", wazero, true},
		{"hostsim", "net/http", false},
		{"hostsim/internal/find", "warmroute/hostsim/internal/loose", false},
		{"hostsim/internal/loose", "warmroute/hostsim/internal/find", true},
		{"hostsim/internal/chats", "warmroute/plugin/prompt", true},
		{"hostsim/internal/layout", "os", true},
		{"hostsim/internal/layout", "compress/gzip", false},
		{"hostsim/internal/league", "warmroute/hostsim/internal/cases", false},
		{"hostsim/internal/cases", "warmroute/hostsim/internal/league", true},
		{"hostsim/internal/study", "os", true},
		{"hostsim/internal/advice", wazero, true},
		{"plugin/new", "warmroute/plugin/ring", true},
		{"plugin/route/new", "time", true},
	} {
		if got := forbidden(c.room, c.imported) != ""; got != c.want {
			t.Errorf("forbidden(%s, %s) = %v, want %v", c.room, c.imported, got, c.want)
		}
	}
}

func TestUnknownRooms(t *testing.T) {
	for room, want := range map[string]bool{
		"plugin": false, "plugin/route": false, "plugin/new": true, "plugin/route/new": true, "hostsim": false, "hostsim/internal/new": false,
	} {
		if got := unknown(room) != ""; got != want {
			t.Errorf("%s: denied %v, want %v", room, got, want)
		}
	}
}

// The build of the module does see what only TinyGo compiles.
func TestBuildsDiffer(t *testing.T) {
	imports := func(i int) (all []string) {
		for _, p := range listPackages(t, builds[i].env, builds[i].args) {
			if p.ImportPath == "warmroute/plugin/proxy" {
				all = append(all, p.Imports...)
			}
		}
		return all
	}
	if !slices.Contains(imports(0), "crypto/rand") || slices.Contains(imports(1), "crypto/rand") {
		t.Errorf("proxy/native.go imports crypto/rand: native sees %v, the module's build %v", imports(0), imports(1))
	}
}

// inexact are functions whose last bits differ between the module, where a C library may have them, and native code.
var inexact = regexp.MustCompile(`\bmath\.(Exp|Exp2|Expm1|Log|Log2|Log10|Log1p|Pow|Hypot|Cbrt|A?(Sin|Cos|Tan)h?)\(`)

// What the simulator learns natively is what the module learns, to the last bit.
func TestRoomsHaveNoInexactFunctions(t *testing.T) {
	err := filepath.WalkDir("../plugin", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := inexact.Find(text); found != nil {
			t.Errorf("%s calls %s…): its last bits differ in the module; plugin/logexp and plugin/recent have others", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
