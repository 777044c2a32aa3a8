package calibrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// steady is a load of 4 requests a second for 150 s, and its records on p.
func steady(t testing.TB, p vllm.Profile) (*Run, []vllm.Record) {
	t.Helper()
	run, _ := made(t, p, 600)
	for i := range run.Arrivals {
		run.Arrivals[i] = int64(i)*1e9/4 + int64(i*7919%1000)*1e5
	}
	done, _ := replay(t, run, p)
	for i, d := range done {
		run.TTFT[i], run.TPOT[i] = float64(d.First-d.Queued)/1e9, float64(d.Final-d.First)/1e9/float64(d.Generated-1)
	}
	return run, done
}

// pageOf is a page of vLLM's as it would be at that time, of these requests: names and buckets of 0.32.
func pageOf(t testing.TB, all []vllm.Record, at int64, blocks int) *Page {
	t.Helper()
	var done []vllm.Record
	running := 0
	for _, d := range all {
		if d.Final <= at {
			done = append(done, d)
		} else if d.Queued <= at {
			running++
		}
	}
	var text strings.Builder
	histogram := func(name string, bounds []float64, values []float64) {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		for _, b := range append(bounds, math.Inf(1)) {
			n := 0
			for _, v := range values {
				if v <= b {
					n++
				}
			}
			le := fmt.Sprint(b)
			if math.IsInf(b, 1) {
				le = "+Inf"
			}
			fmt.Fprintf(&text, "vllm:%s_bucket{engine=\"0\",le=%q,model_name=\"m\"} %d\n", name, le, n)
		}
		fmt.Fprintf(&text, "vllm:%s_count{engine=\"0\",model_name=\"m\"} %d\nvllm:%s_sum{engine=\"0\",model_name=\"m\"} %v\n", name, len(values), name, sum)
	}
	var prompts, answers, ttft, prefill, queue, gaps []float64
	queries, hits := 0, 0
	for _, d := range done {
		prompts, answers = append(prompts, float64(d.PromptTokens)), append(answers, float64(d.Generated))
		ttft = append(ttft, float64(d.First-d.Queued)/1e9)
		prefill = append(prefill, float64(d.First-d.Scheduled)/1e9)
		queue = append(queue, float64(d.Scheduled-d.Queued)/1e9)
		for range d.Generated - 1 {
			gaps = append(gaps, float64(d.Final-d.First)/1e9/float64(d.Generated-1))
		}
		queries, hits = queries+d.PromptTokens, hits+d.CachedTokens
	}
	sizes := []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000}
	times := []float64{.01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40}
	histogram("request_prompt_tokens", sizes, prompts)
	histogram("request_generation_tokens", sizes, answers)
	histogram("time_to_first_token_seconds", times, ttft)
	histogram("inter_token_latency_seconds", times, gaps)
	histogram("request_prefill_time_seconds", times, prefill)
	histogram("request_queue_time_seconds", times, queue)
	fmt.Fprintf(&text, "vllm:prefix_cache_queries_total{engine=\"0\"} %d\nvllm:prefix_cache_hits_total{engine=\"0\"} %d\n", queries, hits)
	fmt.Fprintf(&text, "vllm:num_requests_running{engine=\"0\"} %d\n", running)
	fmt.Fprintf(&text, "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"%d\"} 1\n# a comment\nother 1\n", blocks)
	page, err := ReadPage(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// A server that is slower than the profile says is found out by its pages.
func TestPagesFindFactors(t *testing.T) {
	base := profileOf(t, "rtxpro6000-llama8b")
	truth := slower(t, base, map[string]float64{"prefill and arithmetic": 1.5, "reading the weights": 1.2, "reading KV": 1.2})
	run, done := steady(t, truth)
	before, after := pageOf(t, done, 60e9, base.KVBlocks+1), pageOf(t, done, 140e9, base.KVBlocks+1)
	if Unsteady(before, after) || !Unsteady(pageOf(t, done, 0, 9), pageOf(t, done, 12e9, 9)) {
		t.Errorf("under way: %d, %d", before.Busy(), after.Busy())
	}
	f, err := Pages(base, before, after, 80, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Residuals {
		t.Logf("%+v: %+.1f %%", r, 100*(r.Model/r.Measured-1))
		if r.Fitted && math.Abs(r.Model/r.Measured-1) > .05 {
			t.Errorf("%s: measured %v, model %v", r.Name, r.Measured, r.Model)
		}
	}
	// The fitted profile then says of the real load what the true one does: within 15 %, since the load was made up.
	now, _ := replay(t, run, f.Profile)
	got := run.Compare(now, 200, 600)
	was, _ := replay(t, run, base)
	t.Logf("the real load: %v, before %v", got, run.Compare(was, 200, 600))
	if got.Worst() > .15 || f.Profile.Basis != vllm.Calibrated || f.Profile.Error < .05 {
		t.Errorf("%v; profile %v", got, &f.Profile)
	}
}

func TestPagesRefuse(t *testing.T) {
	base := profileOf(t, "rtxpro6000-llama8b")
	_, done := steady(t, base)
	empty, few, many := pageOf(t, nil, 0, 100000), pageOf(t, done[:10], 200e9, 100000), pageOf(t, done, 200e9, 100000)
	for _, c := range []struct {
		name          string
		before, after *Page
		seconds       float64
		want          string
	}{
		{"restarted", many, few, 60, "restarted"},
		{"nothing between", many, many, 60, "nothing was answered"},
		{"few", empty, few, 60, "10 requests"},
		{"no time", empty, many, 0, "0 s apart"},
	} {
		if _, err := Pages(base, c.before, c.after, c.seconds, "test"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ReadPage(strings.NewReader("up 1\n")); err == nil || !strings.Contains(err.Error(), "vLLM") {
		t.Errorf("a page of another program: %v", err)
	}
}

func FuzzReadPage(f *testing.F) {
	f.Add("vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 3\nvllm:time_to_first_token_seconds_count 3\n")
	f.Add("vllm:x_bucket{le=} 1\nvllm:cache_config_info{num_gpu_blocks=\"x\"} NaN\n")
	f.Fuzz(func(t *testing.T, text string) {
		page, err := ReadPage(strings.NewReader(text))
		if err == nil {
			_, _ = newLoad(vllm.Profile{BlockSize: 16, MaxModelLen: 100}, page, page, 1)
		}
	})
}
