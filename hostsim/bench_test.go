package main

import (
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
