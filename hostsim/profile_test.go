package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProfileCommand(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"profile"}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	for _, want := range []string{"h100-8b ", "data sheet ± 35 %", "rtx4090-8b ", "measured ± 2 %", "mi300x-llama70b "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if code := run([]string{"profile", "h1000"}, nil, &out, &errs); code != 1 || !strings.Contains(errs.String(), "h1000") {
		t.Errorf("an unknown profile: exit %d, %s", code, &errs)
	}
	if code := run([]string{"profile", "--set", "kv_blocks=3"}, nil, &out, &errs); code != 1 || !strings.Contains(errs.String(), "--set goes with a profile") {
		t.Errorf("numbers of no profile: exit %d, %s", code, &errs)
	}
}

// A printed profile works as a file, and a replay with --interval has it around the result.
func TestReplayWithProfileFileAndInterval(t *testing.T) {
	var file, out, errs bytes.Buffer
	if code := run([]string{"profile", "rtx4090x2-llama8b", "--set", "host_kv_blocks=5000,host_ns_per_kv_token=6000"}, nil, &file, &errs); code != 0 || !strings.Contains(file.String(), "host_kv_blocks") {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	path := filepath.Join(t.TempDir(), "two.json")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join("..", "testdata", "traces", "mooncake.jsonl")
	args := []string{"replay", "--trace", trace, "--engine", "native", "--policies", "round_robin", "--profile", path, "--interval"}
	if code := run(args, nil, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	for _, want := range []string{"two.json, data sheet ±", "\nsteps ±", " to "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if code := run([]string{"replay", "--trace", trace, "--profile", path + "x.json"}, nil, &out, &errs); code != 1 || !strings.Contains(errs.String(), "x.json") {
		t.Errorf("a file that is not there: exit %d, %s", code, &errs)
	}
}
