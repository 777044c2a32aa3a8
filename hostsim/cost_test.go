package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be measured is refused before anything is started.
func TestCostIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{"--rounds 0": "--rounds 0 needs", "--pools 257": "--pools: 257 is not 1 to 256", "--pools 8 --ext-proc " + file: "--ext-proc: with --pools 8"} {
		args := append([]string{"cost", "--envoy", file, "--config", file, "--wasm", file}, strings.Fields(flags)...)
		if status, _, errs := hostsim("", args...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", flags, status, errs)
		}
	}
}
