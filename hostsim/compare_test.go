package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/compare"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
)

// compare in front of simulated replicas, each of them a gateway of its own.
func TestCompareCommand(t *testing.T) {
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 2, Profile: profile, Speed: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var addresses []string
	for _, r := range f.Replicas {
		addresses = append(addresses, r.Addr())
	}
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	args := []string{"compare", "--replicas", strings.Join(addresses, ","), "--urls", "one=" + f.URLs()[0] + ",two=" + f.URLs()[1],
		"--workloads", "conversations", "--requests", "12", "--prompt-tokens", "200", "--rounds", "2", "--concurrency", "2", "--sample", "10ms",
		"--commit", "abc", "--machine", "a test", "--json", filepath.Join(dir, "r.json"), "--html", filepath.Join(dir, "r.html")}
	if code := run(args, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, &stderr)
	}
	for _, want := range []string{"conversations: time to first token", "as the servers counted", "one", "two"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &stdout)
		}
	}
	if n := strings.Count(stderr.String(), "round "); n != 4 {
		t.Errorf("%d lines of progress, want 4:\n%s", n, &stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r compare.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Made.Commit != "abc" || r.Made.Machine != "a test" || len(r.Runs) != 4 || r.Summaries[1].Servers.Queries == 0 {
		t.Errorf("got %+v with %d runs", r.Made, len(r.Runs))
	}
	if page, err := os.ReadFile(filepath.Join(dir, "r.html")); err != nil || !bytes.Contains(page, []byte("<svg")) {
		t.Errorf("the page: %v", err)
	}
}

func TestCompareArguments(t *testing.T) {
	t.Setenv("ENVOY", "") // which build.sh sets, and is put back in the end
	os.Unsetenv("ENVOY")
	for _, c := range []struct {
		args string
		says string
	}{
		{"--replicas 127.0.0.1:1 --policies random", "--envoy is needed"},
		{"--replicas 127.0.0.1:1 --urls nothing", "NAME=URL"},
		{"--replicas 127.0.0.1:1 --urls a=http://127.0.0.1:1 --rounds 0", "rounds"},
		{"--replicas 127.0.0.1:1 --urls a=http://127.0.0.1:1 --workloads none", "none of that name"},
		{"--urls a=http://127.0.0.1:1", "--replicas"},
		{"--replicas 127.0.0.1:1 --urls a=http://127.0.0.1:1 --trace nowhere", "--trace nowhere: "},
		{"--replicas 127.0.0.1:1 --urls a=http://127.0.0.1:1 --trace compare_test.go", "--trace compare_test.go: it is no folder"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"compare"}, strings.Fields(c.args)...), nil, &stdout, &stderr); code == 0 {
			t.Errorf("%s: status 0", c.args)
		}
		if !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: says %q, want %q", c.args, &stderr, c.says)
		}
	}
}
