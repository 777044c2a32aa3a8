package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// guest is testdata/guest, compiled once.
var guest *Module

func TestMain(m *testing.M) {
	code, err := withGuest(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withGuest(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, "./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the guest: %w\n%s", err, out)
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	if guest, err = Compile(ctx, wasm); err != nil {
		return 0, err
	}
	defer guest.Close(ctx)
	return run(), nil
}

const start = 1_000_000_000_000 // virtual time of the tests' proxies, ns

// run starts a proxy whose guest runs the script.
func run(t *testing.T, script string, config Config) *Proxy {
	t.Helper()
	config.PluginConfig = []byte(script)
	config.LogKeep = 10_000
	if config.Start == 0 {
		config.Start = start
	}
	p, err := guest.NewProxy(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// said is what the guest of any VM has logged, but for the start of its contexts.
func said(p *Proxy) []string {
	var lines []string
	for _, e := range p.Logs() {
		boot := strings.HasPrefix(e.Message, "on create") || strings.HasPrefix(e.Message, "on vm_start") ||
			strings.HasPrefix(e.Message, "on configure")
		if !boot && e.Level == LevelTrace {
			lines = append(lines, strings.TrimRight(e.Message, " "))
		}
	}
	return lines
}

// wantSaid compares what the guest has logged; wanted lines are indented as it suits the test.
func wantSaid(t *testing.T, p *Proxy, want string) {
	t.Helper()
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if diff := cmp.Diff(lines, said(p)); diff != "" {
		t.Errorf("the guest said (-want +got):\n%s", diff)
	}
}

func get(path string) Headers {
	return Headers{{":method", "GET"}, {":path", path}, {":authority", "a"}}
}

var ok200 = Headers{{":status", "200"}}

// answer plays an upstream that answers at once.
func answer(s *Stream) {
	s.ResponseHeaders(ok200, false)
	s.ResponseBody([]byte("fine"), true)
}

// script makes the operations, one a line, those of an event.
func script(event, operations string) string {
	return event + "|" + strings.ReplaceAll(operations, "\n", "\n"+event+"|")
}
