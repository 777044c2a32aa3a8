package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What an earlier run has is not played again, but for the policies named; results of other settings are refused.
func TestLeagueGoesOnFromKnownResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "league.json")
	league := func(args ...string) (status int, out, errs string) {
		return hostsim("", append([]string{"study", "league", "--case", "usual-1", "--policies", "cache_aware,round_robin", "--json", file}, args...)...)
	}
	if status, _, errs := league("--seeds", "1"); status != 0 {
		t.Fatal(errs)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known := filepath.Join(t.TempDir(), "known.json")
	marked := bytes.ReplaceAll(first, []byte(`"imbalance": 1`), []byte(`"imbalance": 77`)) // what no replay gives
	if err := os.WriteFile(known, marked, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		marked int // rows of the two that are the known ones
	}{{nil, 2}, {[]string{"--again", "cache_aware"}, 1}, {[]string{"--again", "cache_aware,round_robin"}, 0}} {
		status, out, errs := league(append(c.args, "--seeds", "1", "--known", known)...)
		again, err := os.ReadFile(file)
		if status != 0 || err != nil || !strings.Contains(out, "usual-1") {
			t.Fatalf("%v: %s%v", c.args, errs, err)
		}
		if n := bytes.Count(again, []byte(`"imbalance": 77`)); n != c.marked {
			t.Errorf("%v: %d rows are known ones, want %d", c.args, n, c.marked)
		}
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"schema": "warmroute replay 1"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--known", known, "--scrape", "2s"}, "other settings"},
		{[]string{"--known", other}, "not results of study league"},
		{[]string{"--known", filepath.Join(t.TempDir(), "none.json")}, "none.json"},
		{[]string{"--known", known, "--again", "nobody"}, "--again nobody"},
		{[]string{"--again", "cache_aware"}, "--again goes with --known"},
	} {
		if status, _, errs := league(c.args...); status == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, errs)
		}
	}
}
