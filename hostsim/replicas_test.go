package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/console"
)

// serve runs the replicas subcommand until the test ends, and returns the first replica's URL.
func serve(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- (&replicasCmd{N: 2, Host: "127.0.0.1", Profile: "cpu-tiny", Model: "m", Speed: 1000, KVTokens: 9999}).Run(&console.Streams{Ctx: ctx, Stdout: w, Stderr: io.Discard})
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(r)
	var url string
	for _, name := range []string{"replica-0", "replica-1"} {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(line, name+" ready on http://127.0.0.1:") || !strings.Contains(line, "9984 KV tokens") {
			t.Errorf("ready line %q", line)
		}
		if url == "" {
			url = strings.Fields(line)[3]
		}
	}
	return url
}

func TestBenchAgainstReplicas(t *testing.T) {
	url := serve(t)
	file := filepath.Join(t.TempDir(), "result.json")
	var stdout, stderr strings.Builder
	args := []string{"bench", "--url", url, "--prompt-tokens", "640", "--warmup-passes", "1", "--json", file}
	if code := run(args, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	if !strings.Contains(stdout.String(), "requests hit 100.0 %") || !strings.Contains(stdout.String(), "replicas: replica-0 6") {
		t.Errorf("printed\n%s", &stdout)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var result bench.Result
	if err := json.Unmarshal(data, &result); err != nil || len(result.Records) != 6 || result.TokenHitRatio != 0.95 {
		t.Errorf("file has %d records, hit ratio %v, %v; want 6 and 0.95", len(result.Records), result.TokenHitRatio, err)
	}
}

func TestReplicasAndBenchErrors(t *testing.T) {
	url := serve(t)
	port := url[strings.LastIndexByte(url, ':')+1:]
	for _, c := range []struct {
		args string
		want string
	}{
		{"replicas --n 1 --port " + port, "port " + port + " on 127.0.0.1 is in use"},
		{"replicas --n 1 --host 0.0.0.0", "not a loopback address"},
		{"replicas --profile h9000", "h100-8b"},
		{"replicas --kv-tokens 3", "kv_blocks"},
		{"bench --url http://10.1.2.3:80", "--allow-remote"},
	} {
		var stderr strings.Builder
		if code := run(strings.Fields(c.args), nil, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit %d, %q; want 1 and %q", c.args, code, &stderr, c.want)
		}
	}
}
