package fleet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// measuredRun is one run of a real server: what it was sent, and when each request's tokens came.
type measuredRun struct {
	arrivals []int64 // ns
	requests []Request
	ttft     []float64 // s, from queued to first token
	tpot     []float64 // s, mean gap between tokens after the first
}

// loadRun reads a folder in the form that LLMServingSim publishes its measurements in: requests.jsonl with
// the timings, and one gzipped JSONL file with arrivals and token ids.
func loadRun(t testing.TB, dir string) measuredRun {
	t.Helper()
	var run measuredRun
	each(t, filepath.Join(dir, "requests.jsonl"), func(line []byte) error {
		var r struct {
			Out    int     `json:"output_toks"`
			Queued float64 `json:"queued_ts"`
			First  float64 `json:"first_token_ts"`
			Last   float64 `json:"last_token_ts"`
		}
		err := json.Unmarshal(line, &r)
		run.ttft = append(run.ttft, r.First-r.Queued)
		run.tpot = append(run.tpot, (r.Last-r.First)/float64(r.Out-1))
		return err
	})
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %d gzipped workloads, %v; want one", dir, len(names), err)
	}
	each(t, names[0], func(line []byte) error {
		var r struct {
			At     int64    `json:"arrival_time_ns"`
			Out    int      `json:"output_toks"`
			Prompt []uint32 `json:"input_tok_ids"`
			Answer []uint32 `json:"output_tok_ids"`
		}
		err := json.Unmarshal(line, &r)
		run.arrivals = append(run.arrivals, r.At)
		run.requests = append(run.requests, Request{
			ID: uint64(len(run.requests)), Tokens: append(r.Prompt, r.Answer...), PromptTokens: len(r.Prompt), MaxTokens: r.Out,
		})
		return err
	})
	if len(run.requests) != len(run.ttft) || len(run.requests) == 0 {
		t.Fatalf("%s: %d requests, %d timings", dir, len(run.requests), len(run.ttft))
	}
	return run
}

func each(t testing.TB, name string, line func([]byte) error) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	for n := 1; s.Scan(); n++ {
		if err := line(s.Bytes()); err != nil {
			t.Fatalf("%s:%d: %v", name, n, err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// replay runs the requests through the model and returns their records, in order.
func (run measuredRun) replay(t testing.TB, p Profile) ([]Record, Stats) {
	t.Helper()
	e := mustEngine(t, p)
	done := make([]Record, len(run.requests))
	for i, r := range run.requests {
		mustSubmit(t, e, run.arrivals[i], r)
	}
	for _, ev := range e.Advance(math.MaxInt64) {
		if ev.Kind == Finished {
			done[ev.Record.ID] = *ev.Record
		}
	}
	return done, e.Stats()
}

// fidelity is how far the model is from what was measured, as ratios less one.
type fidelity struct{ ttftMean, ttftP90, tpotMean float64 }

func (f fidelity) String() string {
	return fmt.Sprintf("TTFT mean %+.2f %%, P90 %+.2f %%, TPOT mean %+.2f %%", 100*f.ttftMean, 100*f.ttftP90, 100*f.tpotMean)
}

// compare sets the requests from..to of the model's records against what was measured.
func (run measuredRun) compare(done []Record, from, to int) fidelity {
	var ttft, tpot []float64
	for _, r := range done[from:to] {
		ttft = append(ttft, float64(r.First-r.Queued)/1e9)
		tpot = append(tpot, float64(r.Final-r.First)/1e9/float64(max(1, r.Generated-1)))
	}
	return fidelity{
		mean(ttft)/mean(run.ttft[from:to]) - 1,
		percentile(ttft, 90)/percentile(run.ttft[from:to], 90) - 1,
		mean(tpot)/mean(run.tpot[from:to]) - 1,
	}
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// percentile interpolates between the ranks, as numpy does.
func percentile(v []float64, p float64) float64 {
	v = slices.Sorted(slices.Values(v))
	at := p / 100 * float64(len(v)-1)
	i := int(at)
	return v[i] + (at-float64(i))*(v[min(i+1, len(v)-1)]-v[i])
}

// error is the mean over requests from..to of the relative errors of the whole latency and of the decoding
// time: what is fitted.
func (run measuredRun) error(done []Record, from, to int) float64 {
	sum := 0.0
	for i := from; i < to; i++ {
		r := &done[i]
		decoding := run.tpot[i] * float64(r.Generated-1)
		sum += math.Abs(float64(r.Final-r.Queued)/1e9/(run.ttft[i]+decoding) - 1)
		sum += math.Abs(float64(r.Final-r.First)/1e9/decoding - 1)
	}
	return sum / float64(to-from)
}

// fit returns the decode_ns_per_kv_token, in steps of 2 ns within 140 to 200, that fits the first half best.
func (run measuredRun) fit(t testing.TB, p Profile) float64 {
	best, least := 0.0, math.Inf(1)
	for ns := 140.0; ns <= 200; ns += 2 {
		p.DecodePerKVToken = ns
		done, _ := run.replay(t, p)
		if e := run.error(done, 0, len(done)/2); e < least {
			best, least = ns, e
		}
	}
	return best
}

// writeRun writes a burst of requests, enough for preemption, with the profile's own timings.
func writeRun(t testing.TB, dir string, p Profile) {
	t.Helper()
	var run measuredRun
	for i := range 100 {
		prompt, limit := 200+i*37%900, 300+i*53%400
		run.arrivals = append(run.arrivals, int64(i)*1e8)
		run.requests = append(run.requests, Request{
			ID: uint64(i), Tokens: tokens(1, uint32(i), 40, prompt+limit), PromptTokens: prompt, MaxTokens: limit,
		})
	}
	done, st := run.replay(t, p)
	if st.Preemptions == 0 {
		t.Error("nothing was preempted: the run is too easy")
	}
	var timings, load bytes.Buffer
	zip := gzip.NewWriter(&load)
	for i, r := range done {
		fmt.Fprintf(&timings, `{"output_toks": %d, "queued_ts": %f, "first_token_ts": %f, "last_token_ts": %f}`+"\n",
			r.Generated, float64(r.Queued)/1e9, float64(r.First)/1e9, float64(r.Final)/1e9)
		q := run.requests[i]
		line, err := json.Marshal(map[string]any{"arrival_time_ns": run.arrivals[i], "output_toks": q.MaxTokens,
			"input_tok_ids": q.Tokens[:q.PromptTokens], "output_tok_ids": q.Tokens[q.PromptTokens:]})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := zip.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"requests.jsonl": timings.Bytes(), "load.jsonl.gz": load.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
