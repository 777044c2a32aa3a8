package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"warmroute/hostsim/internal/workload"
)

// Every kind of workload can be asked for, and is named in the help. The address is refused after that.
func TestBenchWorkloads(t *testing.T) {
	_, help, _ := hostsim("", "bench", "--help")
	for _, kind := range workload.Names() {
		if !strings.Contains(help, kind) {
			t.Errorf("the help does not name %s:\n%s", kind, help)
		}
		status, _, errs := hostsim("", "bench", "--url", "http://192.0.2.1:80", "--workload", kind)
		if status != 1 || !strings.Contains(errs, "192.0.2.1") {
			t.Errorf("%s: status %d, %s", kind, status, errs)
		}
	}
	if status, _, errs := hostsim("", "bench", "--url", "http://127.0.0.1:80", "--workload", "none"); status != 2 || !strings.Contains(errs, `got "none"`) {
		t.Errorf("no such workload: status %d, %s", status, errs)
	}
}

// Where no request is answered, the table says so, and the status is 1; where some are, the rest is a figure of the table.
func TestBenchFailsWithAll(t *testing.T) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 4 {
			_, _ = w.Write([]byte("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: [DONE]\n\n"))
			return
		}
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	args := []string{"bench", "--url", server.URL, "--model", "m", "--requests", "3", "--prompt-tokens", "10"}
	if status, out, errs := hostsim("", args...); status != 1 || !strings.Contains(out, "503 3") || !strings.Contains(errs, "all 3 requests failed") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if status, out, errs := hostsim("", args...); status != 0 || !strings.Contains(out, "503 2") {
		t.Errorf("with one answer: status %d, %s%s", status, out, errs)
	}
}

// A log of one's own is sent to several servers in turn, with a table of ratios, and its model is the server's.
func TestBenchTrace(t *testing.T) {
	var mu sync.Mutex
	models, salts := map[string]int{}, map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = w.Write([]byte(`{"data":[{"id":"orchard-8b"}]}`))
			return
		}
		var body struct{ Model, Cache_salt string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		models[body.Model]++
		salts[body.Cache_salt] = true
		mu.Unlock()
		_, _ = w.Write([]byte("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: [DONE]\n\n"))
	}))
	defer server.Close()
	const log = "../testdata/logs/gemini.jsonl"
	status, out, errs := hostsim("", "bench", "--url", "a="+server.URL, "--url", "b="+server.URL, "--trace", log, "--speed", "1000", "--rounds", "2", "--closed", "--json", "-")
	if status != 0 || !strings.Contains(errs, "Ratio to a") || !strings.Contains(errs, "b, round 2:") || !strings.Contains(out, `"ratios": [`) || !strings.Contains(out, `"late_ms"`) {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if models["orchard-8b"] != 8 || len(models) != 1 || len(salts) != 4 || !strings.Contains(errs, "they ask for orchard-8b") {
		t.Errorf("models %v, salts %v, %s", models, salts, errs)
	}
	for _, c := range []struct{ args, want string }{
		{"--url http://127.0.0.1:1 --url http://127.0.0.1:1 --trace " + log, "given twice; NAME=URL"},
		{"--url " + server.URL + " --warmup-passes 1 --trace " + log, "--warmup-passes: a trace is sent as it is"},
		{"--url " + server.URL + " --speed 0 --trace " + log, "--speed: 0 is not above 0"},
		{"--url " + server.URL + " --trace ../testdata/logs/none", "no such file"},
		{"--url a=127.0.0.1 --trace " + log, "is not http://host:port"},
	} {
		if status, _, errs := hostsim("", append([]string{"bench"}, strings.Fields(c.args)...)...); status != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: status %d, %s", c.args, status, errs)
		}
	}
}

// What a trace alone has, or a workload alone, is refused with the other: a trace of 100,000 requests is not sent where --requests 5 was meant.
func TestBenchOptionsApart(t *testing.T) {
	for _, c := range [][2]string{
		{"--limit 3", "are for a trace"}, {"--speed 2", "are for a trace"}, {"--closed", "are for a trace"},
		{"--trace x --requests 5", "--limit sends a part"}, {"--trace x --workload shared-system", "for a workload"}, {"--trace x --seed 2", "for a workload"},
	} {
		args := append([]string{"bench", "--url", "http://127.0.0.1:1", "--model", "m"}, strings.Fields(c[0])...)
		if status, _, errs := hostsim("", args...); status != 1 || !strings.Contains(errs, c[1]) {
			t.Errorf("%s: status %d, %s", c[0], status, errs)
		}
	}
}
