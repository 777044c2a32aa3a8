package bench

import (
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/trace"
)

// A trace whose times do not begin at 0 is sent at once all the same.
func TestRecordedBeginsAtOnce(t *testing.T) {
	const text = `{"t":900,"body":{"prompt":"a"},"output_tokens":1}
{"t":902.5,"body":{"prompt":"b"},"output_tokens":1}`
	recorded, err := trace.Read(strings.NewReader(text), "late.jsonl", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	requests, _, err := Recorded(recorded, "m", nil, "")
	if err != nil || len(requests) != 2 || requests[0].At != 0 || requests[1].At != 2500*time.Millisecond {
		t.Errorf("%v, %+v; want them at 0 and 2.5 s", err, requests)
	}
}
