package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestImport(t *testing.T) {
	log, err := os.ReadFile("../testdata/logs/litellm.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	status, trace, notes := hostsim(string(log), "import", "-")
	if status != 0 || strings.Count(trace, "\n") != 2 || !strings.Contains(notes, "2 requests in 1 session ") || !strings.Contains(notes, "failed; the first is standard input:3") {
		t.Fatalf("status %d\n%s%s", status, trace, notes)
	}
	// What was imported is replayed as the log itself is.
	_, want, _ := hostsim(string(log), "replay", "--trace", "-", "--engine", "native", "--replicas", "2")
	_, got, _ := hostsim(trace, "replay", "--trace", "-", "--engine", "native", "--replicas", "2")
	if got != want || !strings.Contains(got, "2 requests, 2 replicas") {
		t.Errorf("of the log\n%s\nof the trace\n%s", want, got)
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	if status, out, errs := hostsim("", "import", "--out", file, "../testdata/logs/batch-requests.jsonl", "../testdata/logs/batch-answers.jsonl"); status != 0 || out != "" {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if written, err := os.ReadFile(file); err != nil || strings.Count(string(written), "\n") != 2 {
		t.Errorf("%v: %s", err, written)
	}
}

// All that is wrong is found before anything is written.
func TestImportNothing(t *testing.T) {
	const line = `{"time":"2026-03-01T09:00:00Z","path":"/v1/chat/completions","status":200}`
	for _, args := range [][]string{{"import", "-"}, {"replay", "--trace", "-", "--engine", "native"}} {
		status, out, errs := hostsim(line+"\n", args...)
		if status != 1 || out != "" {
			t.Errorf("%v: status %d, %q", args, status, out)
		}
		for _, part := range []string{line, "no request body", "access log with bodies", "docs/traces.md"} {
			if !strings.Contains(errs, part) {
				t.Errorf("%v: the error lacks %q:\n%s", args, part, errs)
			}
		}
	}
}

// Records say what the replicas found.
func TestRecordsSayWhatWasFound(t *testing.T) {
	status, _, errs := hostsim("", "replay", "--trace", "../testdata/logs/record.log", "--engine", "native", "--replicas", "2")
	if status != 0 || !strings.Contains(errs, "18 requests in 6 sessions") || !strings.Contains(errs, "the replicas found 74.2 % cached") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// A log whose times are called t, and are not seconds since its beginning, is read as a log: import and replay see the same in it.
func TestOtherTimes(t *testing.T) {
	const line = `{"t":$,"session":"a","body":{"model":"m","messages":[{"role":"user","content":"Which row is ripe, and when does the frost come back?"}]},"output_tokens":5}` + "\n"
	for _, times := range [][2]string{{`"2026-03-01T09:00:00Z"`, `"2026-03-01T09:00:07Z"`}, {"1772355600.5", "1772355607.5"}} {
		log := strings.ReplaceAll(line, "$", times[0]) + strings.ReplaceAll(line, "$", times[1])
		status, out, errs := hostsim(log, "replay", "--trace", "-", "--engine", "native", "--replicas", "2", "--policies", "round_robin")
		if status != 0 || !strings.Contains(out, "2 requests, 2 replicas") || !strings.Contains(errs, "over 7 s") {
			t.Errorf("%v: status %d\n%s%s", times, status, out, errs)
		}
	}
	// In a trace, such a time is named.
	log := strings.ReplaceAll(line, "$", "0") + strings.ReplaceAll(line, "$", "1772355607.5") + strings.ReplaceAll(line, "$", `"soon"`)
	if status, _, errs := hostsim(log, "replay", "--trace", "-", "--engine", "native"); status != 1 || !strings.Contains(errs, "standard input:2: t: 1772355607.5 is not within 0 to 1000000000 s from the trace's beginning") {
		t.Errorf("status %d: %s", status, errs)
	}
	log = strings.ReplaceAll(line, "$", "0") + strings.ReplaceAll(line, "$", `"soon"`)
	if status, _, errs := hostsim(log, "replay", "--trace", "-", "--engine", "native"); status != 1 || !strings.Contains(errs, "standard input:2: t: string where a number belongs") {
		t.Errorf("status %d: %s", status, errs)
	}
	if status, _, errs := hostsim("", "import", t.TempDir()); status != 1 || !strings.Contains(errs, "is a directory: name a file in it") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// Messages under the name of a prompt are a chat, whatever the path is called.
func TestMessagesAsPrompt(t *testing.T) {
	const chat = `[{"role":"system","content":"Be brief."},{"role":"user","content":"Why?"}]`
	quoted := strings.ReplaceAll(chat, `"`, `\"`)
	for _, log := range []string{
		`{"ts":1772355600,"model":"m","prompt":` + chat + `}`,
		`{"model":"m","prompt":` + chat + `}`,
		`{"ts":1772355600,"model":"m","prompt":"` + quoted + `"}`,
		`{"ts":1772355600,"request_body":{"model":"m","prompt":` + chat + `}}`,
		`{"ts":1772355600,"path":"/v1/completions","request_body":{"model":"m","prompt":"` + quoted + `"}}`,
		"time,model,prompt\n2026-03-01 09:00:00,m,\"" + strings.ReplaceAll(chat, `"`, `""`) + `"`,
		"Time;Prompt\n2026-03-01 09:00:00;\"" + strings.ReplaceAll(chat, `"`, `""`) + `"`,
	} {
		status, out, notes := hostsim(log+"\n", "import", "-")
		if status != 0 || !strings.Contains(out, `"path":"/v1/chat/completions"`) || !strings.Contains(out, `"messages":`+chat) {
			t.Errorf("status %d of %s\n%s%s", status, log, out, notes)
		}
	}
}

// What a replay would refuse is not written.
func TestImportBounds(t *testing.T) {
	const line = `{"messages":[{"role":"user","content":"Which row is ripe?"}]}` + "\n"
	for want, args := range map[string][]string{
		"--output-tokens: 16777217 is above 16777216": {"--output-tokens", "16777217"},
		"--gap: 0s is not above 0":                    {"--gap", "0s"},
		"standard input:2: its request comes 16667 days after the first one; a trace has 11574 days at most": {"--gap", "400000h"},
	} {
		if status, out, errs := hostsim(line+line, append([]string{"import", "-"}, args...)...); status != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%v: status %d, %q, %s; want %s", args, status, out, errs, want)
		}
	}
}

// What comes before a fault of a file compressed by zstd is read.
func TestImportBrokenZstd(t *testing.T) {
	var text strings.Builder
	random := rand.New(rand.NewPCG(1, 1)) // so that it takes several blocks
	for i := range 20000 {
		fmt.Fprintf(&text, `{"ts":%d,"messages":[{"role":"user","content":"Row %x?"}]}`+"\n", 1772355600+i, random.Uint64())
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	data := w.EncodeAll([]byte(text.String()), nil)
	data[len(data)*9/10] ^= 0xff
	file := filepath.Join(t.TempDir(), "a.zst")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := hostsim("", "import", file)
	if n := strings.Count(out, "\n"); status != 0 || n < 10000 || !strings.Contains(errs, "all from here on: the file breaks off, or is broken (") {
		t.Errorf("status %d, %d requests: %s", status, n, errs)
	}
}
