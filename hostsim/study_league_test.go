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
	earlier := filepath.Join(t.TempDir(), "earlier.json")
	if err := os.WriteFile(earlier, bytes.ReplaceAll(first, []byte("latency_mean_ms"), []byte("of_old")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--known", known, "--scrape", "2s"}, "other settings"},
		{[]string{"--known", earlier}, "without latency_mean_ms"},
		{[]string{"--known", other}, "not results of study league"},
		{[]string{"--known", filepath.Join(t.TempDir(), "none.json")}, "none.json"},
		{[]string{"--known", known, "--again", "nobody"}, "--again nobody"},
		{[]string{"--again", "cache_aware"}, "--again goes with --known"},
		{[]string{"--policies", "cache_aware,llmd"}, "policy llmd"},
	} {
		if status, _, errs := league(c.args...); status == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %s", c.args, status, errs)
		}
	}
}

// Several gateways are held against one; what an earlier run has is not played again.
func TestStudyGateways(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gateways.json")
	args := []string{"study", "gateways", "--case", "usual-1", "--seeds", "1", "--gateways", "2", "--json"}
	if status, out, errs := hostsim("", append(args, file)...); status != 0 || !strings.Contains(out, "usual-1") {
		t.Fatal(errs, out)
	}
	again := filepath.Join(t.TempDir(), "again.json")
	if status, out, errs := hostsim("", append(args, again, "--known", file)...); status != 0 || !strings.Contains(out, "usual-1") {
		t.Fatal(errs, out)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	walls := func(text []byte) (lines []string) {
		for _, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, `"wall_s"`) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if a, b := walls(first), walls(second); len(a) != 2 || strings.Join(a, "") != strings.Join(b, "") {
		t.Errorf("runs took %q, then %q: they were played again", a, b)
	}
	older := filepath.Join(t.TempDir(), "older.json")
	if err := os.WriteFile(older, bytes.Replace(first, []byte(`"commit": "`), []byte(`"commit": "older `), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("<!-- it -->\n<!-- /it -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	status, _, errs := hostsim("", append(args, again, "--known", file+","+older+","+file, "--doc", page+":it")...)
	text, err := os.ReadFile(page)
	if err != nil || status != 0 || strings.Count(string(text), "older ") != 1 || !strings.Contains(string(text), " and older ") {
		t.Errorf("want the versions of both files, each once: %s%v\n%s", errs, err, text)
	}
	for _, c := range []struct{ flags, want string }{
		{"--gateways 1", "--gateways 1: 2 to 256"},
		{"--case nobody", "no case is called nobody"},
		{"--sync 1ms", "--sync 1ms"},
		{"--sync 0 --known " + file, "other settings"},
	} {
		if status, _, errs := hostsim("", append([]string{"study", "gateways"}, strings.Fields(c.flags)...)...); status == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: status %d, %s", c.flags, status, errs)
		}
	}
}
