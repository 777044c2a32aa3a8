package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/input"
)

// What the reader of a log left out or made up, and how sure the profile is, stands wherever the results do.
func TestInputsAreSaid(t *testing.T) {
	dir := t.TempDir()
	log, inJSON, inHTML := filepath.Join(dir, "bodies.jsonl"), filepath.Join(dir, "r.json"), filepath.Join(dir, "r.html")
	var text strings.Builder
	for i := range 110 {
		fmt.Fprintf(&text, `{"model":"m","messages":[{"role":"user","content":"%s %d"}]}`+"\n", strings.Repeat("the same words ", 40), i)
	}
	text.WriteString("no JSON at all\n")
	if err := os.WriteFile(log, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	notes := []string{"Left out: 1, ", "The log has no times: requests are taken to come 1 s apart", "Without a known length: 110 answers, taken to have"}
	const sure = "± 35 %"
	for _, args := range [][]string{{"advise", "--replicas", "2", "--seeds", "2"}, {"replay", "--engine", "native", "--policies", "round_robin,cache_aware", "--replicas", "2"}} {
		status, out, errs := hostsim("", append(args, "--trace", log, "--json", inJSON, "--html", inHTML)...)
		if status != 0 {
			t.Fatalf("%s: status %d: %s", args[0], status, errs)
		}
		data, err := os.ReadFile(inJSON)
		var results struct{ Input input.Notes }
		if err != nil || json.Unmarshal(data, &results) != nil || results.Input.Profile != "h100-8b" || results.Input.Error != 0.35 {
			t.Errorf("%s: %v: %+v", args[0], err, results.Input)
		}
		page, err := os.ReadFile(inHTML)
		if err != nil || !strings.Contains(string(page), input.NotesTitle) {
			t.Errorf("%s: the page lacks %q: %v", args[0], input.NotesTitle, err)
		}
		where := map[string]string{"JSON": strings.Join(results.Input.Notes, "\n"), "the page": strings.Join(strings.Fields(strings.ReplaceAll(html.UnescapeString(string(page)), "\u00a0", " ")), " ")}
		if args[0] == "advise" {
			where["the screen"] = strings.Join(strings.Fields(out), " ")
		}
		for name, said := range where {
			for _, note := range notes {
				if !strings.Contains(said, note) {
					t.Errorf("%s: %s lacks %q", args[0], name, note)
				}
			}
			if name != "JSON" && !strings.Contains(said, sure) {
				t.Errorf("%s: %s lacks %q", args[0], name, sure)
			}
		}
	}
}

// A trace that is taken as it is has no notes, which JSON says by an empty list.
func TestNoNotes(t *testing.T) {
	status, out, errs := hostsim("", "replay", "--engine", "native", "--policies", "round_robin", "--trace", smallTrace, "--json", "-")
	if status != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), `"notes": []`) {
		t.Errorf("status %d, %s", status, errs)
	}
}

// A log of days has pauses in which a replay would do nothing; and several models, which are no pool each. Both are said.
func TestPausesAndModels(t *testing.T) {
	var log strings.Builder
	for i := range 6 {
		fmt.Fprintf(&log, `{"ts":%d,"model":"m%d","messages":[{"role":"user","content":"Row %d?"}],"completion_tokens":5}`+"\n", 1772355600+i/3*86400, i%3/2, i)
	}
	const pause, models = "Pauses of more than 10 minutes in which no request came: 1, each cut to that, by 23.8 hours together.", `The requests name 2 models ("m0" 4, "m1" 2).`
	status, _, errs := hostsim(log.String(), "replay", "--trace", "-", "--engine", "native", "--replicas", "2", "--policies", "round_robin")
	if status != 0 || !strings.Contains(errs, pause) || !strings.Contains(errs, models) {
		t.Errorf("status %d: %s", status, errs)
	}
	status, _, errs = hostsim(log.String(), "replay", "--trace", "-", "--engine", "native", "--policies", "round_robin", "--gateways", "2", "--restart", "0@86400s")
	if status != 0 || strings.Contains(errs, "Pauses") {
		t.Errorf("where something comes at its time: status %d: %s", status, errs)
	}
}

// Records that begin late in an access log are found; one that is cut costs itself, and is named.
func TestRecordsInALongLog(t *testing.T) {
	records, err := os.ReadFile("../testdata/logs/record.log")
	if err != nil {
		t.Fatal(err)
	}
	log := strings.Repeat("2026-11-22T05:00:00Z GET /healthz 200\n", 2000) + string(records[:len(records)-90])
	file := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"replay", "--engine", "native", "--replicas", "2", "--policies", "round_robin", "--trace"}
	status, _, errs := hostsim("", append(args, file)...)
	if status != 0 || !strings.Contains(errs, "17 requests in 6 sessions") || !strings.Contains(errs, "bad lines left out: 1; the first: access.log:2018: b: ") {
		t.Errorf("status %d: %s", status, errs)
	}
	const want = "standard input:2001: the log has records of the module (setting record), which begin after many other lines: tail -n +2001"
	if status, _, errs := hostsim(log, append(args, "-")...); status != 1 || !strings.Contains(errs, want) {
		t.Errorf("status %d: %s", status, errs)
	}
}
