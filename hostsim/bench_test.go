package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
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
