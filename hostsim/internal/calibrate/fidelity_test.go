package calibrate

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

func profileOf(t testing.TB, name string) vllm.Profile {
	t.Helper()
	p, err := vllm.LoadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// measuredRun is the published run of that folder where WARMROUTE_TRACES names a place that has it, else one made by the
// profile itself, which shows that replay, comparison and fit do what they say.
func measuredRun(t testing.TB, folder string, p vllm.Profile) (run *Run, published bool) {
	t.Helper()
	dir := t.TempDir()
	if root := os.Getenv("WARMROUTE_TRACES"); root != "" {
		dir, published = filepath.Join(root, folder), true
	} else {
		writeRun(t, dir, p)
	}
	run, err := ReadLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run, published
}

func replay(t testing.TB, r *Run, p vllm.Profile) ([]vllm.Record, vllm.Stats) {
	t.Helper()
	done, stats, err := r.Replay(p)
	if err != nil {
		t.Fatal(err)
	}
	return done, stats
}

// TestFidelity holds the model to the measured run: docs/fidelity.md gives the figures it prints under -v.
func TestFidelity(t *testing.T) {
	p := profileOf(t, "rtx4090-8b")
	run, published := measuredRun(t, "vllm_rtx4090_llama31_8b", p)
	done, st := replay(t, run, p)
	half := len(done) / 2
	t.Logf("published run %v: TTFT mean %.1f s, TPOT mean %.2f ms; %+v", published, mean(run.TTFT), 1e3*mean(run.TPOT), st)
	for _, part := range []struct {
		name     string
		from, to int
	}{{"first half, fitted", 0, half}, {"second half, not fitted", half, len(done)}, {"all", 0, len(done)}} {
		got := run.Compare(done, part.from, part.to)
		t.Logf("%s: %v", part.name, got)
		if got.Worst() > .02 {
			t.Errorf("%s: %v; want within 2 %%", part.name, got)
		}
	}
	if got, want := fitKV(t, run, p), p.DecodePerKVToken; math.Abs(got-want) > 2 {
		t.Errorf("the first half fits best at %v ns a KV token; the profile has %v", got, want)
	}
}

// fitKV returns the decode_ns_per_kv_token, in steps of 2 ns within 140 to 200, with the least mean relative error of
// latency and decoding time over the first half: how the profile rtx4090-8b was fitted.
func fitKV(t testing.TB, run *Run, p vllm.Profile) float64 {
	best, least := 0.0, math.Inf(1)
	for ns := 140.0; ns <= 200; ns += 2 {
		p.DecodePerKVToken = ns
		done, _ := replay(t, run, p)
		sum := 0.0
		for i, r := range done[:len(done)/2] {
			decoding := run.TPOT[i] * float64(r.Generated-1)
			sum += math.Abs(float64(r.Final-r.Queued)/1e9/(run.TTFT[i]+decoding)-1) + math.Abs(float64(r.Final-r.First)/1e9/decoding-1)
		}
		if sum < least {
			best, least = ns, sum
		}
	}
	return best
}

// TestFidelityIsDerived shows what that profile owes to its fit, and to what else it assumes.
func TestFidelityIsDerived(t *testing.T) {
	p := profileOf(t, "rtx4090-8b")
	run, published := measuredRun(t, "vllm_rtx4090_llama31_8b", p)
	for _, c := range []struct {
		name   string
		change func(*vllm.Profile)
		worst  float64 // of the three errors
	}{
		{"as it is", func(*vllm.Profile) {}, .02},
		{"KV read at 0.9 of the bandwidth", func(p *vllm.Profile) { p.DecodePerKVToken = 144.5 }, .05},
		{"no async scheduling", func(p *vllm.Profile) { p.AsyncScheduling = 0 }, .05},
		{"weights not hidden", func(p *vllm.Profile) { p.StepOverhead, p.Weights = p.StepOverhead+p.Weights, 0 }, .25},
	} {
		q := p
		c.change(&q)
		done, _ := replay(t, run, q)
		got := run.Compare(done, 0, len(done))
		t.Logf("%s: %v", c.name, got)
		if published && got.Worst() > c.worst {
			t.Errorf("%s: %v; want within %v", c.name, got, c.worst)
		}
	}
}

// made is a burst of requests, enough for preemption, with the profile's own timings.
func made(t testing.TB, p vllm.Profile, n int) (*Run, vllm.Stats) {
	t.Helper()
	var run Run
	for i := range n {
		prompt, limit := 200+i*37%900, 300+i*53%400
		tokens := make([]uint32, prompt+limit)
		for j := range tokens {
			tokens[j] = uint32(j)
			if j >= 40 {
				tokens[j] += uint32(i+1) << 16
			}
		}
		run.Arrivals = append(run.Arrivals, int64(i)*1e8)
		run.Requests = append(run.Requests, vllm.Request{Tokens: tokens, PromptTokens: prompt, MaxTokens: limit})
	}
	done, stats := replay(t, &run, p)
	for _, d := range done {
		run.TTFT = append(run.TTFT, float64(d.First-d.Queued)/1e9)
		run.TPOT = append(run.TPOT, float64(d.Final-d.First)/1e9/float64(d.Generated-1))
	}
	return &run, stats
}

// writeRun writes such a burst as LLMServingSim publishes its runs.
func writeRun(t testing.TB, dir string, p vllm.Profile) {
	t.Helper()
	run, stats := made(t, p, 100)
	if stats.Preemptions == 0 && p.KVTokens() < 50000 {
		t.Error("nothing was preempted: the run is too easy")
	}
	var timings, arrivals bytes.Buffer
	zip := gzip.NewWriter(&arrivals)
	for i, q := range run.Requests {
		queued := float64(run.Arrivals[i]) / 1e9
		fmt.Fprintf(&timings, `{"output_toks": %d, "queued_ts": %f, "first_token_ts": %f, "last_token_ts": %f}`+"\n",
			q.MaxTokens, queued, queued+run.TTFT[i], queued+run.TTFT[i]+run.TPOT[i]*float64(q.MaxTokens-1))
		line, err := json.Marshal(map[string]any{"arrival_time_ns": run.Arrivals[i], "output_toks": q.MaxTokens,
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
	for name, data := range map[string][]byte{"requests.jsonl": timings.Bytes(), "load.jsonl.gz": arrivals.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
