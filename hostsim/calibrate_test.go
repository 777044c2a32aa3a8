package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
)

func TestCalibrateLog(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&log, `{"arrival": %d, "prompt_tokens": %d, "output_tokens": 20, "ttft": %v, "latency": %v}`+"\n", 10*i, 500+100*i, .1+.02*float64(i), .5+.02*float64(i))
	}
	file, profile := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "fitted.json")
	if err := os.WriteFile(file, log.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := []string{"calibrate", "log", file, "--profile", "a100-llama8b", "--set", "max_num_seqs=64,kv_blocks=20000", "--out", profile}
	if code := run(args, nil, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	for _, want := range []string{"20 requests fitted, before:", "20 others", "reading the weights", "does not show", profile + ": written"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	p, err := vllm.LoadProfile(profile)
	if err != nil || p.KVBlocks != 20000 || p.MaxNumSeqs != 64 || p.Basis != vllm.Measured {
		t.Errorf("written: %v, %v", &p, err)
	}
	out.Reset()
	if code := run([]string{"calibrate", "log", file, "--profile", profile, "--fit", "0"}, nil, &out, &errs); code != 0 || !strings.Contains(out.String(), "steps × 1.00: TTFT mean") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
	for _, c := range []struct{ args, want string }{
		{"log none.jsonl --profile a100-llama8b", "none.jsonl"},
		{"log " + file + " --profile a100", `profile "a100"`},
		{"log " + file + " --profile a100-llama8b --set max_seqs=3", "max_seqs: no such field"},
		{"log " + file + " --profile a100-llama8b --set kv_blocks=0", "kv_blocks: 0 is not within"},
		{"pages --profile a100-llama8b", "--url"},
		{"pages --profile a100-llama8b --before " + file + " --after " + file, "vLLM"},
		{"pages --profile a100-llama8b --url http://192.0.2.1:8000", "loopback"},
		{"pages --profile a100-llama8b --url http://127.0.0.1:1 --before " + file, "give either --url"},
		{"pages --profile a100-llama8b --url http://127.0.0.1:1 --seconds 60", "give either --url"},
		{"probe http://192.0.2.1:8000 --profile a100-llama8b", "loopback"},
	} {
		errs.Reset()
		if code := run(append([]string{"calibrate"}, strings.Fields(c.args)...), nil, &out, &errs); code != 1 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit %d, %s; want %q", c.args, code, &errs, c.want)
		}
	}
}

// A simulated server is probed; its times are this machine's, and nothing is held to them.
func TestCalibrateProbe(t *testing.T) {
	p, err := vllm.LoadProfile("h100-llama8b")
	if err != nil {
		t.Fatal(err)
	}
	servers, err := fleet.Start(fleet.Options{N: 1, Profile: p, Speed: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	var out, errs bytes.Buffer
	if code := run([]string{"calibrate", "probe", servers.URLs()[0], "--profile", "h100-llama8b"}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	for _, want := range []string{"64 × 1024 tokens, each further, ms", "--set kv_blocks=N"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
