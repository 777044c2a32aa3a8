package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/report"
)

// interrupter ends a context at the first line that has a text.
type interrupter struct {
	bytes.Buffer
	at  string
	end context.CancelFunc
}

func (i *interrupter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(i.at)) {
		i.end()
	}
	return i.Buffer.Write(p)
}

// What was done before an interrupt is printed and written, and the command fails.
func TestInterrupt(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var out bytes.Buffer
	file := filepath.Join(t.TempDir(), "r.json")
	trace := filepath.Join(t.TempDir(), "t.jsonl")
	if status, _, errs := hostsim("", "generate", "--out", trace, "--requests", "400"); status != 0 {
		t.Fatal(errs)
	}
	s := &console.Streams{Ctx: ctx, Stdout: &out, Stderr: &interrupter{at: "round_robin: 400 requests", end: end}, Args: []string{"replay"}, Command: "replay"}
	c := replayCmd{Trace: trace, Policies: []string{"round_robin", "cache_aware"}, Replicas: 2, Workers: 1, Gateways: 1, Profile: "h100-8b", Speed: 1, Engine: "native", JSON: file}
	if err := c.Run(s); err == nil || err.Error() != "stopped: 1 of 2 policies are done" {
		t.Errorf("the error is %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Partial string
		Runs    []struct{ Policy string }
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all.Runs) != 1 || all.Runs[0].Policy != "round_robin" || all.Partial == "" {
		t.Errorf("%v: %s", err, text)
	}
	if !strings.Contains(out.String(), "round_robin") {
		t.Errorf("printed: %s", &out)
	}
}

// A study that was stopped leaves the document as it is.
func TestStoppedStudyKeepsDocument(t *testing.T) {
	const whole = "<!-- x -->\nall\n<!-- /x -->\n"
	for _, stopped := range []bool{true, false} {
		file := filepath.Join(t.TempDir(), "d.md")
		if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &console.Streams{Ctx: t.Context(), Stdout: io.Discard, Stderr: io.Discard}
		if stopped && !s.Stopped(context.Canceled, 1, 2, "rows") {
			t.Fatal("not stopped")
		}
		o := console.Output{Doc: file + ":x"}
		err := o.Write(s, &report.Page{Findings: []string{"some"}}, nil)
		text, _ := os.ReadFile(file)
		if (err != nil) != stopped || (string(text) == whole) != stopped {
			t.Errorf("stopped %v: %v, %s", stopped, err, text)
		}
	}
}

// Outputs that cannot be written are found before the work.
func TestOutputsAreTriedFirst(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "such", "folder")
	for _, args := range [][]string{
		{"replay", "--trace", smallTrace, "--engine", "native", "--json", missing},
		{"replay", "--trace", smallTrace, "--engine", "native", "--html", missing},
		{"advise", "--trace", smallTrace, "--html", missing},
		{"study", "workload", "--json", missing},
		{"study", "kubeai", "--doc", missing + ":x"},
		{"study", "kubeai", "--doc", "results_test.go:no such name"},
		{"bench", "--url", "http://127.0.0.1:1", "--json", missing},
		{"assign", "--replicas", "2", "--capacity", "2", "--json", missing, "-"},
		{"cost", "--envoy", "results_test.go", "--config", "results_test.go", "--wasm", "results_test.go", "--json", missing},
		{"check", "--json", missing, "-"},
		{"doctor", "--admin", "http://127.0.0.1:1", "--json", missing},
		{"request", "--config", replayConfig, "--body", chatBody, "--engine", "native", "--json", missing},
		{"import", "--out", missing, "../testdata/logs/bodies.jsonl"},
	} {
		status, out, errs := hostsim("", args...)
		if status != 1 || out != "" || !strings.Contains(errs, "no such") || strings.Contains(errs, "requests in") {
			t.Errorf("%v: status %d\n%s%s", args, status, out, errs)
		}
	}
	kept := filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(kept, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	if err := console.Writable("", "-", kept, fresh); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(kept); string(text) != "kept" {
		t.Errorf("the file now has %q", text)
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a file was left behind")
	}
}

// With --json -, standard output is JSON alone.
func TestJSONToStandardOutput(t *testing.T) {
	_, out, errs := hostsim("", "replay", "--trace", smallTrace, "--engine", "native", "--policies", "random", "--json", "-")
	var all struct{ Schema string }
	if err := json.Unmarshal([]byte(out), &all); err != nil || all.Schema != "warmroute replay 1" {
		t.Errorf("%v:\n%s", err, out)
	}
	if !strings.Contains(errs, "hit rate") {
		t.Errorf("the table is gone: %s", errs)
	}
	for _, c := range []struct {
		stdin, has string
		args       []string
	}{
		{"[]", `"assignments"`, []string{"assign", "--replicas", "2", "--capacity", "2", "--json", "-", "-"}},
		{"endpoints: [10.0.0.1:80]", `"findings"`, []string{"check", "--json", "-", "-"}},
		{"", `"decision"`, []string{"request", "--engine", "native", "--config", replayConfig, "--body", chatBody, "--json", "-"}},
		{"", `"commit"`, []string{"version", "--json"}},
	} {
		_, out, errs := hostsim(c.stdin, c.args...)
		var all console.Made
		if err := json.Unmarshal([]byte(out), &all); err != nil || all.Schema != "warmroute "+c.args[0]+" 1" || len(all.Command) != len(c.args) || !strings.Contains(out, c.has) {
			t.Errorf("%v: %v\n%s%s", c.args, err, out, errs)
		}
	}
}

// Results name the module that made them, wherever its file is.
func TestResultsNameTheirModule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.wasm")
	if err := os.WriteFile(file, []byte("another module"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("another module")))
	_, out, errs := hostsim("", "replay", "--trace", smallTrace, "--engine", "native", "--wasm", file, "--policies", "random", "--json", "-")
	var all console.Made
	if err := json.Unmarshal([]byte(out), &all); err != nil || all.Version.Module != want {
		t.Errorf("%v: the module is %q, want %q: %s", err, all.Version.Module, want, errs)
	}
}

func TestHelp(t *testing.T) {
	status, out, _ := hostsim("", "replay", "--help")
	for _, part := range []string{"(default: round_robin, join_shortest_queue, prefix_hash, cache_aware)", "(default: 8)", "h100-8b, ", "(default: h100-8b)"} {
		if status != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), part) {
			t.Errorf("status %d: the help lacks %q:\n%s", status, part, out)
		}
	}
}
