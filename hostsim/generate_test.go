package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/workload"
)

func generate(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(append([]string{"generate"}, args...), nil, &stdout, &stderr); status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, stderr.String())
	}
	return stdout.String()
}

// An interrupt ends the work, and leaves nothing that could be taken for all of it.
func TestGenerateStops(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	file := filepath.Join(t.TempDir(), "t.jsonl")
	s := &console.Streams{Ctx: ctx, Stdout: io.Discard, Stderr: io.Discard}
	if err := (&generateCmd{Kind: "threads", Out: file, Requests: 10, Rate: 2}).Run(s); !errors.Is(err, context.Canceled) {
		t.Errorf("generate: %v", err)
	}
	if err := writeLines(s, file, make([]trace.Line, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("writing: %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a part of the file is left: %v", err)
	}
	if err := (&importCmd{Files: []string{"../testdata/logs/bodies.jsonl"}, Out: file, Gap: time.Second}).Run(s); !errors.Is(err, context.Canceled) {
		t.Errorf("import: %v", err)
	}
}

// Every kind is written as a trace that the reader takes, the same for the same seed.
func TestGenerate(t *testing.T) {
	for _, kind := range workload.Names() {
		out := generate(t, "--kind", kind, "--requests", "40", "--seed", "5", "--out", "-")
		if out != generate(t, "--kind", kind, "--requests", "40", "--seed", "5", "--out", "-") {
			t.Errorf("%s: the same seed gives another file", kind)
		}
		if out == generate(t, "--kind", kind, "--requests", "40", "--seed", "6", "--out", "-") {
			t.Errorf("%s: another seed gives the same file", kind)
		}
		tr, err := trace.Read(strings.NewReader(out), kind, trace.Options{})
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if tr.Format != trace.OpenAI || len(tr.Requests) != 40 || tr.Requests[39].At == 0 {
			t.Errorf("%s: %v, %d requests, the last at %d", kind, tr.Format, len(tr.Requests), tr.Requests[39].At)
		}
		turns, extends := 0, 0
		for _, r := range tr.Requests {
			if r.After < 0 {
				continue
			}
			turns++
			before := tr.Requests[r.After]
			messages, _, _ := bytes.Cut(before.Body, []byte(`],"max_tokens"`))
			if bytes.HasPrefix(r.Body, messages) && r.At >= before.At+r.Think {
				extends++
			}
		}
		if multi := kind == "conversations" || kind == "threads" || kind == "agents"; extends != turns || multi != (turns > 0) {
			t.Errorf("%s: %d further turns, %d extend the one before", kind, turns, extends)
		}
	}
}

func TestGenerateFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.jsonl")
	for want, args := range map[string][]string{ // what cannot be read is not written
		"takes more than 1000000000 s: --rate":        {"--rate", "1e-300"},
		"s: --rate is too low, or --think or --token": {"--think", "1000000h"},
		"--token-time too long":                       {"--token-time", "100000h"},
		"--output-tokens is too large":                {"--kind", "phrases", "--output-tokens", "16777217"},
		"--prompt-tokens or --output-tokens is too":   {"--kind", "phrases", "--prompt-tokens", "17000000", "--system-prompts", "1", "--requests", "1"},
		"1000000 system prompts of 0 tokens; at most": {"--kind", "shared-system", "--system-prompts", "1000000"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(append([]string{"generate", "--out", "-"}, args...), nil, &stdout, &stderr); status != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: status %d, %d bytes, %s", args, status, stdout.Len(), stderr.String())
		}
	}
	if out := generate(t, "--kind", "no-reuse", "--requests", "3", "--out", name); out != "" {
		t.Errorf("wrote %q to the terminal", out)
	}
	data, err := os.ReadFile(name)
	if err != nil || strings.Count(string(data), "\n") != 3 {
		t.Errorf("%d lines, %v; want 3", strings.Count(string(data), "\n"), err)
	}
	for _, args := range [][]string{
		{"--requests", "0", "--out", "-"}, {"--rate", "0", "--out", "-"}, {"--out", filepath.Join(name, "x")}, {"--kind", "none", "--out", "-"}, {},
	} {
		var stdout, stderr bytes.Buffer
		if run(append([]string{"generate"}, args...), nil, &stdout, &stderr) == 0 || stderr.Len() == 0 {
			t.Errorf("%v was taken", args)
		}
	}
}
