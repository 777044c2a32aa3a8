package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var own = filepath.Join("..", "..", "..", "testdata", "traces")

func mustOpen(t testing.TB, path string, o Options) *Trace {
	t.Helper()
	tr, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, tr)
	return tr
}

// check holds what Trace and Request promise.
func check(t testing.TB, tr *Trace) {
	t.Helper()
	for i := range tr.Requests {
		r := &tr.Requests[i]
		if i > 0 && r.At < tr.Requests[i-1].At {
			t.Fatalf("request %d comes before the one before it", i)
		}
		if r.At < 0 || r.Think < 0 || r.OutputTokens < 1 || r.Session < 0 || r.Session >= tr.Sessions {
			t.Fatalf("request %d is out of range: %+v", i, r)
		}
		if r.After >= 0 {
			if a := tr.Requests[r.After]; r.After >= i || a.Session != r.Session {
				t.Fatalf("request %d follows %d: %+v, %+v", i, r.After, r, a)
			}
		}
		if (r.Body == nil) == (r.Blocks == nil) || (r.Body == nil) != (r.Path == "") {
			t.Fatalf("request %d has not exactly one of a body and blocks: %+v", i, r)
		}
		if r.Body == nil {
			n := (r.InputTokens + tr.BlockSize - 1) / tr.BlockSize
			if r.Blocks.Len() != n {
				t.Fatalf("request %d: %d blocks for %d tokens", i, r.Blocks.Len(), r.InputTokens)
			}
			for _, s := range r.Blocks {
				if s.N == 0 || int(s.First)+int(s.N) > tr.IDs {
					t.Fatalf("request %d: span %v, ids below %d", i, s, tr.IDs)
				}
			}
		}
	}
}

func TestMooncake(t *testing.T) {
	tr := mustOpen(t, filepath.Join(own, "mooncake.jsonl"), Options{})
	s := int64(time.Second)
	want := []Request{
		{At: 0, Session: 0, After: -1, Blocks: Blocks{{0, 3}}, InputTokens: 1324, OutputTokens: 20},
		{At: s / 2, Session: 1, After: -1, Blocks: Blocks{{0, 1}, {3, 2}}, InputTokens: 1500, OutputTokens: 8},
		{At: 4 * s, Session: 0, After: 0, Think: 4 * s, Blocks: Blocks{{0, 2}, {5, 2}}, InputTokens: 2000, OutputTokens: 30},
		{At: 4 * s, Session: 2, After: -1, Blocks: Blocks{{7, 1}}, InputTokens: 512, OutputTokens: 1},
		{At: 9 * s, Session: 0, After: 2, Think: 5 * s, Blocks: Blocks{{0, 2}, {5, 1}, {8, 2}}, InputTokens: 2100, OutputTokens: 5},
		{At: 9*s + s/2, Session: 0, After: 4, Think: s / 2, Blocks: Blocks{{0, 3}}, InputTokens: 1324, OutputTokens: 20},
	}
	if diff := cmp.Diff(want, tr.Requests); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if tr.Format != Mooncake || tr.BlockSize != 512 || tr.Sessions != 3 || tr.IDs != 10 {
		t.Errorf("got %v, blocks of %d, %d sessions, %d ids", tr.Format, tr.BlockSize, tr.Sessions, tr.IDs)
	}
}

// Others write Mooncake's form with blocks of their own size; Bailian's also say which request follows which, and have seconds.
func TestMooncakeOfOthers(t *testing.T) {
	for text, want := range map[string][3]int{ // tokens of a block, sessions, ms of the last
		`{"timestamp":500,"input_length":100,"output_length":1,"hash_ids":[1,2]}` + "\n" + `{"timestamp":1500,"input_length":1100,"output_length":1,"hash_ids":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]}`: {64, 2, 1500},
		`{"chat_id":7,"parent_chat_id":-1,"timestamp":0.5,"input_length":40,"output_length":1,"type":"text","turn":1,"hash_ids":[1,2,3]}` + "\n" +
			`{"chat_id":8,"parent_chat_id":-1,"timestamp":0.75,"input_length":40,"output_length":1,"type":"text","turn":1,"hash_ids":[1,2,4]}` + "\n" +
			`{"chat_id":9,"parent_chat_id":7,"timestamp":2.25,"input_length":50,"output_length":1,"type":"text","turn":2,"hash_ids":[1,2,5,6]}`: {16, 2, 2250},
		`{"chat_id":0,"timestamp":0.5,"input_length":40,"output_length":1,"hash_ids":[1,2,3]}` + "\n" +
			`{"chat_id":8,"timestamp":0.75,"input_length":40,"output_length":1,"hash_ids":[1,2,4]}` + "\n" +
			`{"chat_id":0,"timestamp":2.25,"input_length":50,"output_length":1,"hash_ids":[1,2,5,6]}`: {16, 2, 2250}, // requests have their chat's name
	} {
		tr, err := Read(strings.NewReader(text), "a.jsonl", Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		check(t, tr)
		if got := [3]int{tr.BlockSize, tr.Sessions, int(tr.Requests[len(tr.Requests)-1].At / 1e6)}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestAzure(t *testing.T) {
	tr := mustOpen(t, filepath.Join(own, "azure.csv"), Options{})
	want := []Request{
		{At: 0, Session: 0, After: -1, Blocks: Blocks{{0, 2}}, InputTokens: 1000, OutputTokens: 10},
		{At: 52e6, Session: 1, After: -1, Blocks: Blocks{{2, 1}}, InputTokens: 512, OutputTokens: 1},
		{At: 2e9, Session: 2, After: -1, Blocks: Blocks{{3, 1}}, InputTokens: 1, OutputTokens: 27},
	}
	if diff := cmp.Diff(want, tr.Requests); diff != "" || tr.Format != Azure {
		t.Errorf("%v: want -, got +:\n%s", tr.Format, diff)
	}
	of2024, err := Read(strings.NewReader("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n2024-05-10 00:00:01.009930+00:00,1,2\n"), "a.csv", Options{})
	if err != nil || of2024.Requests[1].At != 1e9 {
		t.Errorf("of 2024: %v, %+v", err, of2024)
	}
}

func TestTexts(t *testing.T) {
	tr := mustOpen(t, filepath.Join(own, "openai.jsonl"), Options{})
	type row struct {
		At, Think           int64
		Session, After, Out int
		Path                string
	}
	rows := func(tr *Trace) (out []row) {
		for _, r := range tr.Requests {
			out = append(out, row{r.At, r.Think, r.Session, r.After, r.OutputTokens, r.Path})
		}
		return out
	}
	want := []row{
		{0, 0, 0, -1, 5, "/v1/chat/completions"},
		{5e8, 0, 1, -1, 3, "/v1/completions"},
		{1e9, 0, 2, -1, 2, "/v1/messages"},
		{225e7, 15e8, 0, 0, 1, "/v1/chat/completions"},
	}
	if diff := cmp.Diff(want, rows(tr)); diff != "" {
		t.Errorf("openai: want -, got +:\n%s", diff)
	}
	tr = mustOpen(t, filepath.Join(own, "lmbench.json"), Options{Gap: 2 * time.Second, Model: "m"})
	want = []row{{0, 0, 0, -1, 12, "/v1/chat/completions"}, {2e9, 0, 1, -1, 40, "/v1/chat/completions"}}
	if diff := cmp.Diff(want, rows(tr)); diff != "" {
		t.Errorf("lmbench: want -, got +:\n%s", diff)
	}
	if body := string(tr.Requests[0].Body); !strings.Contains(body, `"content":"Count the boats in the harbour."`) || !strings.Contains(body, `"model":"m"`) {
		t.Errorf("lmbench body: %s", body)
	}
}

func TestErrorsNameFileLineAndField(t *testing.T) {
	const good = `{"timestamp":0,"input_length":5,"output_length":1,"hash_ids":[1]}` + "\n"
	const head = `{"block_size":64,"requests":[`
	for _, c := range []struct {
		format      Format
		text        string
		line        int
		field, says string
	}{
		{Mooncake, good + `{"timestamp":`, 2, "", "JSON"},
		{Mooncake, good + "\n" + `{"input_length":5,"output_length":1,"hash_ids":[1]}`, 3, "timestamp", "missing"},
		{Mooncake, `{"timestamp":-1,"input_length":5,"output_length":1,"hash_ids":[1]}`, 1, "timestamp", "within"},
		{Mooncake, `{"timestamp":0,"input_length":0,"output_length":1,"hash_ids":[]}`, 1, "input_length", "within"},
		{Mooncake, `{"timestamp":0,"input_length":"5","output_length":1,"hash_ids":[]}`, 1, "input_length", "string"},
		{Mooncake, `{"timestamp":0,"input_length":5,"output_length":1,"hash_ids":[1,2]}`, 1, "hash_ids", "2 ids for 5 tokens; want 1"},
		{Mooncake, `{"timestamp":0,"input_length":5,"hash_ids":[1]}`, 1, "output_length", "missing"},
		{Sessions, `{"block_size":0,"requests":[]}`, 1, "block_size", "within"},
		{Sessions, head + `{"t":0,"in":64,"out":1,"lcp":1,"new":[]}]}`, 1, "requests[0].lcp", "within"},
		{Sessions, head + `{"t":0,"in":64,"out":1,"lcp":0,"new":[[1,2]]}]}`, 1, "requests[0].new", "want 1"},
		{Sessions, head + `{"t":0,"in":64,"out":1,"lcp":0,"new":[[2,1]]}]}`, 1, "new", "range"},
		{Sessions, head + `{"t":0,"in":64,"out":1,"lcp":0,"new":[9999999]}]}`, 1, "requests[0].new", "below"},
		{Sessions, head + `{"in":64,"out":1,"lcp":0,"new":[1]}]}`, 1, "requests[0].t", "missing"},
		{Sessions, head + `{"t":0,"in":64,"out":1,"hash_ids":[1,2]}]}`, 1, "requests[0].new", "want 1"},
		{Sessions, head + `{"t":0,"in":128,"out":1,"hash_ids":[4294967295,0]}]}`, 1, "requests[0].new", "below"},
		{Sessions, head + `{"t":0,"in":64,"out":1,"hash_ids":[1],"new":[1]}]}`, 1, "requests[0].hash_ids", "one form"},
		{Sessions, head + `{"t":0,"type":"subagent","requests":[{"t":0,"in":64,"lcp":0,"new":[1]}]}]}`, 1, "requests[0].requests[0].out", "missing"},
		{OpenAI, `{"t":1e12,"body":{"prompt":""},"output_tokens":1}`, 1, "t", "within"},
		{OpenAI, `{"t":1,"body":[],"output_tokens":1}`, 1, "body", "object"},
		{OpenAI, `{"t":1,"body":{},"output_tokens":1}`, 1, "body", "path"},
		{OpenAI, "{\"t\":1,\"session\":\"a\",\"body\":{\"prompt\":\"\"},\"output_tokens\":1}\n{\"t\":0,\"session\":\"a\",\"body\":{\"prompt\":\"\"},\"output_tokens\":1}", 2, "t", "before"},
		{OpenAI, `{"t":1,"body":{"prompt":""}}`, 1, "output_tokens", "missing"},
		{Azure, "TIMESTAMP,ContextTokens,GeneratedTokens\n1,2,3", 2, "TIMESTAMP", "form"},
		{Azure, "2023-11-16 18:17:03.97,x,3", 1, "ContextTokens", "whole"},
		{Azure, "2023-11-16 18:17:03.97,1,-3", 1, "GeneratedTokens", "within"},
		{Azure, "a,b", 1, "", "want TIMESTAMP"},
		{LMBench, "[\n{\"input\":\"a\",\"output_length\":\"1\"},\n{\"input\":\"\",\"output_length\":1}]", 3, "input", "empty"},
		{LMBench, `[{"input":"a","output_length":1.5}]`, 1, "output_length", "whole"},
		{LMBench, `[{"input":"a"`, 1, "", "EOF"},
		{LMBench, `{}`, 1, "", "array"},
	} {
		_, err := Read(strings.NewReader(c.text), "some/f.x", Options{Format: c.format})
		var e *LineError
		if !errors.As(err, &e) || e.File != "f.x" || e.Line != c.line || e.Field != c.field || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: got %v; want f.x:%d: %s: … %s", c.format, c.text, err, c.line, c.field, c.says)
		}
	}
}

func TestSkipBadCounts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(own, "mooncake.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := mustOpen(t, filepath.Join(own, "mooncake.jsonl"), Options{})
	bad := "nonsense\n" + string(data) + `{"timestamp":0}` + "\n"
	got, err := Read(strings.NewReader(bad), "x", Options{Format: Mooncake, SkipBad: true})
	if err != nil || got.Skipped != 2 {
		t.Fatalf("%v; want two lines skipped", err)
	}
	if diff := cmp.Diff(want.Requests, got.Requests); diff != "" {
		t.Errorf("bad lines changed the others: want -, got +:\n%s", diff)
	}
	if _, err := Read(strings.NewReader("x\n"), "x", Options{Format: OpenAI, SkipBad: true}); err == nil {
		t.Error("a file of bad lines alone was taken")
	}
}

func TestGzipIsTheSame(t *testing.T) {
	for _, name := range []string{"mooncake.jsonl", "sessions.jsonl", "openai.jsonl", "azure.csv", "lmbench.json"} {
		data, err := os.ReadFile(filepath.Join(own, name))
		if err != nil {
			t.Fatal(err)
		}
		var zip bytes.Buffer
		w := gzip.NewWriter(&zip)
		if _, err := w.Write(data); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		got, err := Read(&zip, name+".gz", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mustOpen(t, filepath.Join(own, name), Options{}), got); diff != "" {
			t.Errorf("%s: want -, gzipped +:\n%s", name, diff)
		}
		// The limit keeps the first of them.
		one, err := Read(bytes.NewReader(data), name, Options{Limit: 1})
		if err != nil || one.Format != Sessions && len(one.Requests) != 1 || one.Sessions != 1 {
			t.Errorf("%s: limit of one: %+v, %v", name, one, err)
		}
	}
	if _, err := Read(strings.NewReader("hello"), "x", Options{}); err == nil || !strings.Contains(err.Error(), "none of the formats") {
		t.Errorf("nonsense: %v", err)
	}
	if _, err := Read(strings.NewReader("{}"), "x", Options{Format: "y"}); err == nil || !strings.Contains(err.Error(), "mooncake") {
		t.Errorf("unknown format: %v", err)
	}
}

func TestShift(t *testing.T) {
	tr := &Trace{Sessions: 2, Requests: []Request{{At: 0, Session: 0, After: -1}, {At: 10, Session: 1, After: -1}, {At: 20, Session: 0, After: 0}}}
	moved := tr.Clone()
	moved.Shift(func(session int) int64 { return []int64{100, 3}[session] })
	want := []Request{{At: 0, Session: 1, After: -1}, {At: 87, Session: 0, After: -1}, {At: 107, Session: 0, After: 1}}
	if diff := cmp.Diff(want, moved.Requests); diff != "" {
		t.Error(diff)
	}
	if tr.Requests[1].At != 10 {
		t.Error("the original has moved too")
	}
}

func TestBadRecords(t *testing.T) {
	const good = "wr1;t=1000;n=300;b=gAIBAgMEBQY"
	for line, want := range map[string]string{
		"wr1;t=1000;n=300":                     "before its blocks",
		"wr1;t=1000;n=300;b":                   "no value",
		"wr1;t=x;b=":                           "whole number",
		"wr1;t=1000;b=gAIBAgMEBQ":              "cut off",
		"wr1;t=1000;b=*":                       "base64",
		"wr1;t=1000;p=99999999999999999999;b=": "whole number",
	} {
		got, err := Read(strings.NewReader(good+"\n"+line+"\n"+good+"\n"), "a.log", Options{})
		if err != nil || len(got.Requests) != 2 || got.Skipped != 1 || !strings.Contains(got.First.Error(), want) || !strings.Contains(got.First.Error(), "a.log:2") {
			t.Errorf("%s: %+v, %v, want two requests, and of line 2 %q", line, got, err, want)
		}
		if _, err := Read(strings.NewReader(line+"\n"), "a.log", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s alone: %v, want %q", line, err, want)
		}
	}
	tr, err := Read(strings.NewReader("x "+good+" y\n{\"r\":\""+good+"\"}\n"), "a.log", Options{})
	if err != nil || len(tr.Requests) != 2 || tr.Guessed != 2 || tr.Requests[0].InputTokens != 75 {
		t.Errorf("%+v, %v", tr, err)
	}
	check(t, tr)
}

// TestForgedRecord reads a block that is long in one record and short in the next: no chain does that.
func TestForgedRecord(t *testing.T) {
	block := func(size uint64, hash byte) []byte {
		return append(binary.AppendUvarint(nil, size), hash, 2, 3, 4, 5, 6)
	}
	var log strings.Builder
	for i, blocks := range [][]byte{
		block(4096, 1),
		slices.Concat(block(64, 1), block(64, 2), block(1<<20, 3)),
		slices.Concat(block(64, 4), block(64, 1), block(64, 3), block(64, 2), block(64, 5)),
	} {
		fmt.Fprintf(&log, "wr1;t=%d;b=%s\n", i, base64.RawURLEncoding.EncodeToString(blocks))
	}
	tr, err := Read(strings.NewReader(log.String()), "a.log", Options{})
	if err != nil || len(tr.Requests) != 3 {
		t.Fatalf("%+v, %v", tr, err)
	}
	check(t, tr)
}
