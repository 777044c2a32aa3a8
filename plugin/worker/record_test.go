package worker

import (
	"bytes"
	"strings"
	"testing"

	"warmroute/plugin/share/memstore"
)

const recording = `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""},"record":true,"record_per_second":3}`

// blocksOf is the record's last field.
func blocksOf(t *testing.T, record []byte) string {
	t.Helper()
	_, blocks, ok := strings.Cut(string(record), ";b=")
	if !ok {
		t.Fatalf("no blocks in %q", record)
	}
	return blocks
}

func TestRecord(t *testing.T) {
	w := workerOf(t, recording, memstore.New())
	w.recorder.key = [2]uint64{1, 2}
	story := strings.Repeat("Some text. ", 100)
	x := ask(t, w, story, 5*second)
	early := string(x.Record(5 * second))
	if !strings.HasPrefix(early, "wr1;t=5000;s=") || strings.Contains(early, ";d=") || strings.Contains(early, ";p=") {
		t.Errorf("before the answer: %s", early)
	}
	x.Headers(Server{Address: "10.0.0.1:80"}, 200, "application/json", 6*second)
	x.Read([]byte(`{"usage":{"prompt_tokens":280,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":64}}}`))
	x.Complete()
	record := x.Record(7 * second)
	for _, part := range []string{";p=280;c=64;o=7;d=2000;b=", ";n=11"} {
		if !strings.Contains(string(record), part) {
			t.Errorf("%q is not in %s", part, record)
		}
	}
	if bytes.Contains(record, []byte("text")) {
		t.Errorf("it has text: %s", record)
	}
	x.End(7*second, false)

	longer := ask(t, w, story+"And more text, which makes it longer by a block, and that block is not empty.", 7*second)
	if a, b := blocksOf(t, record), blocksOf(t, longer.Record(7*second)); len(a) < 40 || !strings.HasPrefix(b, a[:len(a)-2]) {
		t.Errorf("a prompt that goes on begins with\n%s, not with\n%s", b, a)
	}
	other := workerOf(t, recording, memstore.New())
	other.recorder.key = [2]uint64{1, 3}
	if a, b := blocksOf(t, record), blocksOf(t, ask(t, other, story, second).Record(second)); a == b {
		t.Error("another key gives the same hashes")
	}
}

// At most record_per_second are recorded, and the next says how many were not.
func TestRecordRate(t *testing.T) {
	w := workerOf(t, recording, memstore.New())
	got := 0
	for i := range 10 {
		if ask(t, w, "Hello", second+int64(i)).Record(second) != nil {
			got++
		}
	}
	if got != 3 {
		t.Errorf("%d of 10 in a second, want 3", got)
	}
	if next := string(ask(t, w, "Hello", 2*second).Record(2 * second)); !strings.Contains(next, ";m=7;") {
		t.Errorf("the next is %s, want m=7", next)
	}
	off := workerOf(t, `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`, memstore.New())
	if r := ask(t, off, "Hello", second).Record(second); r != nil {
		t.Errorf("without the setting: %s", r)
	}
}
