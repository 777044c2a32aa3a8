package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// fuzz feeds a reader: whatever it takes must keep the promises of Trace, and give JSON bodies.
func fuzz(f *testing.F, format Format, seed string) {
	data, err := os.ReadFile(filepath.Join(own, seed))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, line := range bytes.SplitAfter(data, []byte("\n")) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		for _, skip := range []bool{true, false} {
			tr, err := Read(bytes.NewReader(data), "fuzz", Options{Format: format, SkipBad: skip})
			if err != nil {
				continue
			}
			check(t, tr)
			m := &Maker{Model: `a "model"`}
			for i := range tr.Requests[:min(3, len(tr.Requests))] {
				if r := &tr.Requests[i]; r.Body == nil && r.InputTokens < 1<<16 {
					body, _ := m.Append(nil, tr, r)
					prompt(t, body)
				}
			}
		}
	})
}

func FuzzMooncake(f *testing.F) { fuzz(f, Mooncake, "mooncake.jsonl") }
func FuzzSessions(f *testing.F) {
	f.Add([]byte(published))
	fuzz(f, Sessions, "sessions.jsonl")
}
func FuzzOpenAI(f *testing.F)  { fuzz(f, OpenAI, "openai.jsonl") }
func FuzzAzure(f *testing.F)   { fuzz(f, Azure, "azure.csv") }
func FuzzLMBench(f *testing.F) { fuzz(f, LMBench, "lmbench.json") }

func FuzzDetect(f *testing.F) {
	f.Add([]byte(`{"a":{"body":1},"hash_ids":[]}`))
	f.Add([]byte("TIMESTAMP,ContextTokens"))
	f.Fuzz(func(t *testing.T, head []byte) {
		switch got := detect(head); got {
		case "", Mooncake, Sessions, OpenAI, Azure, LMBench, Record:
		default:
			t.Errorf("no such format: %q", got)
		}
		if got := Detect(head); got != "" && got != detect(head) {
			t.Errorf("%q and %q", got, detect(head))
		}
	})
}

func FuzzRecord(f *testing.F) { fuzz(f, Record, "../logs/record.log") }
