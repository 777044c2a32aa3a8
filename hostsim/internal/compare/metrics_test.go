package compare

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = `# HELP vllm:prefix_cache_queries_total tokens
vllm:prefix_cache_queries_total{engine="0",model_name="a"} 1000.0
vllm:prefix_cache_queries_total{engine="1",model_name="a"} 500.0
vllm:prefix_cache_hits_total{engine="0",model_name="a"} 600.0
vllm:num_requests_waiting{engine="0",model_name="a"} 3.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="a",reason="capacity"} 3.0
vllm:num_requests_running{engine="0",model_name="a"} 2.0
vllm:request_prefill_kv_computed_tokens_sum{engine="0",model_name="a"} 4.5e+02
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.1",model_name="a"} 2.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.2",model_name="a"} 6.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="a"} 8.0
vllm:time_to_first_token_seconds_bucket{engine="1",le="0.1",model_name="a"} 0.0
vllm:time_to_first_token_seconds_bucket{engine="1",le="0.2",model_name="a"} 2.0
vllm:time_to_first_token_seconds_bucket{engine="1",le="+Inf",model_name="a"} 2.0
vllm:time_to_first_token_seconds_sum{engine="0",model_name="a"} 1.25
vllm:request_queue_time_seconds_sum{engine="0"} 0.25
vllm:request_queue_time_seconds_sum{engine="1"} 0.125
vllm:request_prefill_time_seconds_sum{engine="0"} 0.75
vllm:cache_config_info{block_size="32",engine="0"} 1.0
`

func TestReadCounters(t *testing.T) {
	got, err := ReadCounters(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	want := Counters{
		Queries: 1500, Hits: 600, Computed: 450, Queue: .375, Prefill: .75, Waiting: 3, Running: 2, Block: 32,
		TTFT: Histogram{Bounds: []float64{.1, .2, math.Inf(1)}, Counts: []float64{2, 8, 10}, Sum: 1.25},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// A page of a real server has everything.
func TestReadRealPage(t *testing.T) {
	file, err := os.Open("../../../testdata/metrics/vllm.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := ReadCounters(file)
	if err != nil {
		t.Fatal(err)
	}
	if c.Queries <= 0 || c.Hits <= 0 || c.Hits > c.Queries || c.Block <= 0 {
		t.Errorf("got %+v", c)
	}
}

func TestReadCountersRefusesOtherPages(t *testing.T) {
	for _, text := range []string{"", "up 1\n", "<html>not found</html>", "vllm:num_requests_running 1\n"} {
		if _, err := ReadCounters(strings.NewReader(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestQuantile(t *testing.T) {
	h := Histogram{Bounds: []float64{1, 2, 4, math.Inf(1)}, Counts: []float64{4, 8, 10, 11}}
	for _, c := range []struct{ q, want float64 }{
		{4.0 / 11, 1}, {6.0 / 11, 1.5}, {8.0 / 11, 2}, {9.0 / 11, 3}, {1, 4}, {2.0 / 11, .5},
	} {
		if got := h.Quantile(c.q); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("quantile %v: got %v, want %v", c.q, got, c.want)
		}
	}
	if got := (Histogram{}).Quantile(.5); got != 0 {
		t.Errorf("of nothing: got %v, want 0", got)
	}
}

func TestServersAreDeltas(t *testing.T) {
	inf := math.Inf(1)
	before := []Counters{
		{Queries: 100, Hits: 100, Computed: 50, TTFT: Histogram{[]float64{1, inf}, []float64{9, 9}, 9}},
		{}, // had answered nothing: no histogram yet
	}
	after := []Counters{
		{Queries: 300, Hits: 150, Computed: 200, TTFT: Histogram{[]float64{1, inf}, []float64{11, 11}, 10}},
		{Queries: 200, Hits: 150, Computed: 50, TTFT: Histogram{[]float64{1, inf}, []float64{2, 2}, 1}},
	}
	got := servers(before, after)
	if got.Queries != 400 || got.Hits != 200 || got.HitRate != .5 || got.Computed != 200 || got.Imbalance != 1.5 {
		t.Errorf("got %+v, want 400 queries, 200 hits, 200 computed, 150 of them by the first", got)
	}
	if got.TTFT.Mean != 500 || got.TTFT.P50 != 500 {
		t.Errorf("TTFT %+v; want a mean of 2 s ÷ 4 and the middle of the first bucket", got.TTFT)
	}
}
